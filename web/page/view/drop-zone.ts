/** Where files and texts may be dropped. */
import type { LitElement } from 'lit';

export class DropZone {
  /** Something is held over it. */
  over = false;

  constructor(
    private readonly host: LitElement,
    private readonly take: (dropped: DataTransfer) => void,
  ) {}

  readonly enter = (event: DragEvent): void => {
    event.preventDefault();
    this.hold(true);
  };

  readonly leave = (): void => this.hold(false);

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.hold(false);
    if (event.dataTransfer) this.take(event.dataTransfer);
  };

  private hold(over: boolean): void {
    this.over = over;
    this.host.requestUpdate();
  }
}
