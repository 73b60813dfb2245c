/** How far down the reader was in each place: back and forward lead there again, a link to its top. */
import { parseRoute } from '../state/link.ts';
import { WHOLE } from './view.ts';

export class Tops {
  private readonly tops = new Map<string, number>();
  /** Where to go as soon as the place is as tall as it was. */
  private wanted = 0;

  /** `place`: that of the moment. */
  constructor(private readonly place: () => string) {}

  readonly connect = (page: HTMLElement): void => {
    window.addEventListener('scroll', this.remember, { passive: true });
    page.addEventListener('click', this.forget);
    page.addEventListener(WHOLE, this.lead);
  };

  readonly disconnect = (): void => window.removeEventListener('scroll', this.remember);

  /** The place is another one. */
  enter(): void {
    this.wanted = this.tops.get(this.place()) ?? 0;
    scrollTo(0, 0);
  }

  private readonly remember = (): void => void this.tops.set(this.place(), scrollY);

  private readonly forget = ({ target }: Event): void => {
    const link = (target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    if (link) this.tops.delete(parseRoute(link.hash).place);
  };

  private readonly lead = (): void => {
    if (this.wanted > 0) scrollTo(0, this.wanted);
    this.wanted = 0;
  };
}
