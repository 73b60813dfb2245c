// A custom element needs no wrapper in React 19. Import the script once, anywhere.
import '../embed/attention-lab.js';

export function Experiment({ magnitude = 1 }) {
  return (
    <section>
      <h2>How long must the prompt be?</h2>
      <attention-lab
        experiment="large-prompt.output"
        magnitudes={String(magnitude)}
        largest-count="1024"
        hide="details presets"
      />
    </section>
  );
}
