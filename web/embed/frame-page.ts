/**
 * The page inside an iframe: embed.html?experiment=…&preset=…&d=5&theme=dark&language=ko&hide=….
 * Tells its parent how tall it is, so that the frame can follow.
 */
import '../page/style/index.css';
import { httpSite } from '../page/run/site-http.ts';
import { useSite } from '../page/run/site.ts';
import { MAXIMUM_LINK } from '../page/state/link.ts';
import { applyTheme, isTheme } from '../page/state/settings.ts';
import { createEmbed, knownLanguage } from './embed.ts';
import { failedEmbed } from './failure.ts';
import { reportHeight } from './height.ts';

useSite(httpSite(new URL('./', location.href.split(/[?#]/)[0])));

const frame = document.getElementById('frame');
const query = new URLSearchParams(location.search.length > MAXIMUM_LINK ? '' : location.search);
const theme = query.get('theme');
applyTheme(document.documentElement, isTheme(theme) ? theme : 'system');

async function show(): Promise<void> {
  if (!frame) return;
  const parameters = new URLSearchParams(query);
  for (const name of ['experiment', 'theme', 'language', 'lang', 'hide', 'v'])
    parameters.delete(name);
  const language = query.get('language') ?? query.get('lang') ?? '';
  try {
    const embed = await createEmbed({
      experiment: query.get('experiment') ?? '',
      language,
      query: parameters,
      hide: query.get('hide') ?? '',
    });
    document.documentElement.lang = embed.language;
    document.title = embed.session.descriptor.title;
    frame.replaceChildren(embed.view);
  } catch (failure) {
    document.documentElement.lang = knownLanguage(language);
    // What the reader may have set is not lost: there is nothing yet.
    const again = (): void => location.reload();
    frame.replaceChildren(await failedEmbed(knownLanguage(language), failure, again));
  }
}

void show();
if (frame) reportHeight(frame);
