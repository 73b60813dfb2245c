// The cases, in the order of the table. Each is a module of its own, loaded only where it is run:
// peers and library need not be there to name them.
//
// everywhere: in browsers too; modes: in these alone; pageLoads: in a browser it is the page that
// is loaded again and again (browser_page.mjs).
const inOrder = [
  { name: 'attention-forward', title: 'Softmax attention, forward', everywhere: true },
  { name: 'attention-gradient', title: 'Softmax attention, forward and backward' },
  { name: 'linear-attention', title: 'Linear attention, forward' },
  { name: 'memory', title: 'Memory of a large n, d = 16, float', modes: ['node-simd-optimised'] },
  { name: 'gram', title: 'Gram accumulation of MHLA features' },
  { name: 'fit', title: 'MHLA fit, end to end' },
  { name: 'gaussians', title: 'Gaussians from Philox, double' },
  { name: 'needle-gradient', title: 'Single-location regression, gradient step' },
  { name: 'state-evolution', title: 'State evolution, one point' },
  {
    name: 'first-run',
    title: 'First run after load over a warm one (first preset, one worker)',
    modes: ['node-simd'],
  },
  { name: 'two-workers', title: 'Two workers over one', modes: ['node-simd'] },
  {
    name: 'load',
    title: 'Load: instantiate and first call',
    everywhere: true,
    pageLoads: true,
  },
  { name: 'scaling', title: 'Exponents of the time over a factor of 64' },
];

const fileOf = (name) => new URL(`./${name.replaceAll('-', '_')}.mjs`, import.meta.url);

export const cases = inOrder.map((each) => ({
  ...each,
  // → its contests(context): see judge.mjs.
  open: async () => (await import(fileOf(each.name))).contests,
}));
