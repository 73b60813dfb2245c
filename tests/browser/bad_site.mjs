// A server that answers some files wrongly, or late.
import { createServer } from 'node:http';
import { serveSite } from './drive.mjs';

// A site, but what matches `target.pattern` is answered in a wrong way until it is mended; held, it
// waits for `target.release`.
export async function serveBadly(makeGood = serveSite) {
  const good = await makeGood();
  const target = { pattern: undefined, way: '', offline: false };
  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    // A service worker would fetch everything a second time.
    const answer =
      path === '/sw.js' && !target.offline ? undefined : await fetch(new URL(path, good.url));
    const type = answer?.headers.get('content-type') ?? 'text/plain';
    if (!answer?.ok) return response.writeHead(404).end();
    const body = Buffer.from(await answer.arrayBuffer());
    const send = (status, kind, content) =>
      response
        .writeHead(status, { 'Content-Type': kind, 'Cache-Control': 'no-cache' })
        .end(content);
    if (!target.pattern?.test(path)) return send(200, type, body);
    if (target.way === 'held') {
      await new Promise((release) => (target.release = release));
      return send(200, type, body);
    }
    if (target.way === '404') return send(404, 'text/plain', 'Not found.');
    if (target.way === 'HTML') return send(200, 'text/html', '<!doctype html><p>Sign in</p>');
    return send(200, type, body.subarray(0, body.length / 2));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    folder: good.folder,
    target,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await good.close();
    },
  };
}
