/** All controls of an experiment: presets as chips, then groups; the rare ones folded away. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Descriptor, Parameter } from '../../lib/descriptor.ts';
import { typeset } from '../figure/typeset.ts';
import type { Session } from '../run/session.ts';
import type { Texts } from '../state/texts.ts';
import { isShown } from '../state/values.ts';
import './control.ts';
import { define, Piece } from './piece.ts';

export class Controls extends Piece {
  static override properties = {
    session: { attribute: false },
    descriptor: { attribute: false },
    texts: { attribute: false },
    hide: { attribute: false },
  };
  declare session: Session;
  declare descriptor: Descriptor;
  declare texts: Texts;
  /** Names of controls that an embed leaves out; 'presets' leaves out the chips. */
  declare hide: ReadonlySet<string>;

  private readonly onChange = (): void => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.addEventListener('values', this.onChange);
    this.session.addEventListener('change', this.onChange);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.session.removeEventListener('values', this.onChange);
    this.session.removeEventListener('change', this.onChange);
  }

  protected override render(): TemplateResult {
    const { descriptor, session, texts } = this;
    const shown = descriptor.parameters.filter(
      (each) => isShown(each.shownWhen, session.values) && !this.hide?.has(each.name),
    );
    const rare = shown.filter((each) => each.rare);
    return html`<div class="controls" role="group" aria-label=${texts.t('controls.group')}>
      ${this.hide?.has('presets') ? nothing : this.presets()}
      ${this.groups(shown.filter((each) => !each.rare))}
      ${
        rare.length
          ? html`<details class="more">
              <summary>${texts.t('controls.more', { count: String(rare.length) })}</summary>
              ${this.groups(rare)}
            </details>`
          : nothing
      }
    </div>`;
  }

  private presets(): TemplateResult {
    const { descriptor, session, texts } = this;
    const current = descriptor.presets.find((each) => each.name === session.preset);
    return html`<div class="presets" role="group" aria-label=${texts.t('controls.presets')}>
        ${descriptor.presets.map(
          (preset) =>
            html`<button
              class="chip"
              data-preset=${preset.name}
              aria-pressed=${preset.name === session.preset ? 'true' : 'false'}
              @click=${(): void => session.choosePreset(preset.name)}
            >
              ${typeset(preset.label)}
            </button>`,
        )}
      </div>
      ${
        current
          ? html`<p class="preset-note">
              ${typeset(current.note)} <span class="quiet">${typeset(current.source)}</span>
            </p>`
          : nothing
      }`;
  }

  private groups(parameters: readonly Parameter[]): TemplateResult {
    const names = groupsOf(parameters);
    const all = groupsOf(this.descriptor.parameters);
    // By its place, which is the same in every language: what stands in a box stays there.
    return html`${repeat(
      names,
      (name) => all.indexOf(name),
      (name) =>
        html`<fieldset class="control-group">
          ${name ? html`<legend>${this.groupLabel(name)}</legend>` : html`<legend class="visually-hidden">${this.texts.t('controls.group')}</legend>`}
          ${repeat(
            parameters.filter((each) => each.group === name),
            (each) => each.name,
            (each) =>
              html`<al-control
                .parameter=${each}
                .value=${this.session.values[each.name] ?? each.default}
                .session=${this.session}
                .texts=${this.texts}
              ></al-control>`,
          )}
        </fieldset>`,
    )}`;
  }

  private groupLabel(name: string): string {
    if (this.texts.has(`group.${name}`)) return this.texts.t(`group.${name}`);
    return name.charAt(0).toUpperCase() + name.slice(1);
  }
}

function groupsOf(parameters: readonly Parameter[]): string[] {
  return [...new Set(parameters.map((each) => each.group))];
}

define('al-controls', Controls);
