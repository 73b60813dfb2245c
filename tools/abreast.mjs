// Work on a list, `width` pieces at a time; the results in the list's order.
export async function abreast(width, list, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++) results[at] = await work(list[at], at);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
