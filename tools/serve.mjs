// A static server for the page, on the loopback address only.
//
//   node tools/serve.mjs [--port N] [--root FOLDER]
//
// In tests: const { url, close } = await serve({ root, port: 0, headers: { … } });
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, isMain, runMain } from './failure.mjs';
import { distFolder } from './paths.mjs';

export const firstPort = 8137;

export const mimeTypes = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.npy': 'application/octet-stream',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

// The page must work under this policy: nothing from another origin, no eval, no inline script.
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// The file that a request path names, or null: outside the root (.., encoded, by symbolic link),
// hidden, not there, or a folder without index.html. root must be a real path.
export async function resolveFile(root, path) {
  let decoded;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (/[\0\\]/.test(decoded) || decoded.split('/').some((part) => part.startsWith('.')))
    return null;
  try {
    let file = await realpath(join(root, decoded));
    let info = await stat(file);
    if (info.isDirectory()) {
      if (!decoded.endsWith('/')) return { folder: true };
      file = await realpath(join(file, 'index.html'));
      info = await stat(file);
    }
    // A name that ends in a slash is a folder's: 'page.html/' would break relative links.
    else if (decoded.endsWith('/')) return null;
    return info.isFile() && file.startsWith(root + sep) ? { file, size: info.size } : null;
  } catch {
    return null;
  }
}

function handler(root, extra) {
  return async (request, response) => {
    const headers = {
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    };
    for (const [name, value] of Object.entries(extra)) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    const refuse = (status, text, more = {}) => {
      response.writeHead(status, {
        ...headers,
        ...more,
        'Content-Type': 'text/plain; charset=utf-8',
      });
      response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(405, 'Only GET and HEAD.', { Allow: 'GET, HEAD' });
    }
    const [path, query] = request.url.split(/\?(.*)/s);
    const found = path.startsWith('/') ? await resolveFile(root, path) : null;
    if (found === null) return refuse(404, 'Not found.');
    if (found.folder) {
      // One leading slash only: '//host/' would lead to another origin.
      const location = `/${path.replace(/^\/+/, '')}/${query === undefined ? '' : `?${query}`}`;
      return refuse(308, 'Moved.', { Location: location });
    }
    const type = mimeTypes[extname(found.file).toLowerCase()] ?? 'application/octet-stream';
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': found.size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(found.file)
      .on('error', () => response.destroy())
      .pipe(response);
  };
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', reject);
      resolve(server.address().port);
    });
  });
}

// port: absent, the first free one from 8137 on; 0, any free one; else that one or an error.
// headers replace the defaults of the same name; null takes one away.
export async function serve({ root, port, headers = {} }) {
  const realRoot = await realpath(root).catch(() => {
    throw new Failure(`There is no folder ${root} to serve. Run npm run build first.`);
  });
  const server = createServer(handler(realRoot, headers));
  const candidates =
    port === undefined ? Array.from({ length: 100 }, (_, i) => firstPort + i) : [port];
  let bound;
  for (const candidate of candidates) {
    try {
      bound = await listen(server, candidate);
      break;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    }
  }
  if (bound === undefined) {
    const tried = port ?? `any of ${firstPort} … ${firstPort + 99}`;
    throw new Failure(`Port ${tried} is in use or not allowed. Choose another: --port N`);
  }
  return {
    url: `http://127.0.0.1:${bound}/`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// The port of a command line: a whole number from 0 to 65535, or undefined.
export function readPort(text) {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new Failure(`--port is '${text}'; it must be a whole number from 0 to 65535.`);
}

export function readServeArguments(argv) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { port: { type: 'string' }, root: { type: 'string' } },
    });
    return { root: values.root ?? join(distFolder, 'site'), port: readPort(values.port) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${error.message}\nusage: [--port N] [--root FOLDER]`);
  }
}

// Serves until Ctrl-C.
export async function serveUntilStopped(options) {
  const { url } = await serve(options);
  console.log(`\nAttnLab is at ${url}   (Ctrl-C stops it)`);
  return new Promise(() => {});
}

if (isMain(import.meta.url)) {
  await runMain(() => serveUntilStopped(readServeArguments(process.argv.slice(2))));
}
