/** The page's entry when it is served. */
import './style/index.css';
import './app.ts';
import { httpSite } from './run/site-http.ts';
import { useSite } from './run/site.ts';
import { applyTheme, storedTheme } from './state/settings.ts';

applyTheme(document.documentElement, storedTheme());
const base = new URL(location.href);
base.hash = '';
base.search = '';
useSite(httpSite(new URL('./', base)));
document.body.append(document.createElement('al-app'));

/** The first figure stands by then. */
const FIRST_VIEW_MILLISECONDS = 2000;
/** So long a reader may be kept busy by what the page shows before the rest is stored. */
const OFFLINE_PATIENCE_MILLISECONDS = 10_000;

/** Once nothing else is to be done: storing every file takes as long as showing the first figure. */
function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in window)
    requestIdleCallback(action, { timeout: OFFLINE_PATIENCE_MILLISECONDS });
  else setTimeout(action, OFFLINE_PATIENCE_MILLISECONDS);
}

if ('serviceWorker' in navigator && location.protocol !== 'file:') {
  window.addEventListener('load', () =>
    setTimeout(() => whenIdle(keepForOffline), FIRST_VIEW_MILLISECONDS),
  );
}

function keepForOffline(): void {
  navigator.serviceWorker.register(new URL('./sw.js', base)).catch(() => {
    // Without it the page works all the same, only not offline.
  });
}
