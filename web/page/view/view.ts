/** A piece that fills the reader's sight, shown once all pieces in it stand: nothing is seen to move. */
import { Piece } from './piece.ts';

/** Said by a view that is shown. */
export const WHOLE = 'whole';

export abstract class View extends Piece {
  override connectedCallback(): void {
    super.connectedCallback();
    this.dataset['coming'] = '';
    void this.showWhenWhole();
  }

  private async showWhenWhole(): Promise<void> {
    const waited = new Set<Piece>([this]);
    for (let coming: readonly Piece[] = [this]; coming.length > 0;) {
      await Promise.allSettled(coming.map((each) => each.updateComplete));
      coming = [...this.querySelectorAll<Piece>('*')].filter(
        (each) => each.hasUpdated === false && !waited.has(each),
      );
      for (const each of coming) waited.add(each);
    }
    delete this.dataset['coming'];
    this.dispatchEvent(new Event(WHOLE, { bubbles: true }));
  }
}
