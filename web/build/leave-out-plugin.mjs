// Leaves out of the page what Observable Plot imports and no figure of ours can reach: map
// projections, and colour schemes by name (our colours and ramps are our own).
const LEFT_OUT = ['d3-geo', 'd3-scale-chromatic'];
const PREFIX = '\0left-out:';

export function leaveOutPlugin() {
  return {
    name: 'attnlab-leave-out',
    enforce: 'pre',
    resolveId: (id) => (LEFT_OUT.includes(id) ? PREFIX + id : null),
    async load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const names = Object.keys(await import(id.slice(PREFIX.length)));
      return names.map((name) => `export const ${name} = () => undefined;`).join('\n');
    },
  };
}
