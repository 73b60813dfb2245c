// In an Observable notebook or Framework page: import the element from where the site is served, then
// use it like any value. `lab(...)` returns the element; its events carry the values and the result.
export async function lab(site, attributes) {
  await import(new URL('embed/attention-lab.js', site));
  const element = document.createElement('attention-lab');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
