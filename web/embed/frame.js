// For a page that holds AttnLab frames: gives each iframe the height that its content reports, at
// most 20000 pixels. Only messages from the frame's own window count.
addEventListener('message', (event) => {
  if (event.data?.type !== 'attention-lab:height') return;
  const height = Math.min(20_000, Math.ceil(Number(event.data.height)));
  if (!(height >= 200)) return;
  for (const frame of document.querySelectorAll('iframe')) {
    if (frame.contentWindow === event.source) frame.style.height = `${height}px`;
  }
});
