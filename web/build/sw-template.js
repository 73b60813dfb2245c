// Serves this version's files from its own cache. What has a hash in its name never changes, so the
// cache answers first; pages ask the network first and fall back to the cache.
// Caches belong to the whole origin, on which several copies of the site may stand.
const place = `attnlab ${self.registration.scope}#`;
const cacheName = `${place}${'VERSION'}`;
const files = 'FILE_LIST';

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => Promise.all(files.map(([file, integrity]) => keep(cache, file, integrity))))
      .then(() => self.skipWaiting()),
  );
});

// A server may answer any address with a page of its own, or break off: that must not be kept as a
// module or a script. Then the installation fails, and the next visit tries again.
async function keep(cache, file, integrity) {
  const response = await fetch(file, { cache: 'no-cache', ...(integrity && { integrity }) });
  const isPage = /text\/html/.test(response.headers.get('content-type') ?? '');
  const wantsPage = file === './' || file.endsWith('.html');
  if (!response.ok || isPage !== wantsPage) throw new Error(`${file} was answered wrongly`);
  await cache.put(file, response);
}

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith(place) && name !== cacheName)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (!url.href.startsWith(self.registration.scope)) return;
  event.respondWith(url.pathname.includes('/assets/') ? cacheFirst(event.request) : networkFirst(event.request));
});

async function cacheFirst(request) {
  return (await caches.match(request, { cacheName })) ?? fetch(request);
}

async function networkFirst(request) {
  try {
    return await fetch(request);
  } catch (failure) {
    const kept = await caches.match(request, { cacheName, ignoreSearch: true });
    if (kept) return kept;
    throw failure;
  }
}
