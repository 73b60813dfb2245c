// Serves this version's files from its own cache. What has a hash in its name never changes, so the
// cache answers first; pages ask the network first and fall back to the cache.
const cacheName = 'CACHE_NAME';
const files = 'FILE_LIST';

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(files))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith('attnlab-') && name !== cacheName)
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
  return (await caches.match(request)) ?? fetch(request);
}

async function networkFirst(request) {
  try {
    return await fetch(request);
  } catch (failure) {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw failure;
  }
}
