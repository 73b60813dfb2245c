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

if ('serviceWorker' in navigator && location.protocol !== 'file:') {
  window.addEventListener('load', () => {
    navigator.serviceWorker.register(new URL('./sw.js', base)).catch(() => {
      // Without it the page works all the same, only not offline.
    });
  });
}
