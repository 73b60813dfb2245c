// For a page that holds AttnLab frames: gives each iframe the height that its content reports. Only
// messages from the frame's own window count, and only between 200 and 4000 pixels.
addEventListener('message', (event) => {
  if (event.data?.type !== 'attention-lab:height') return;
  const height = Number(event.data.height);
  if (!(height >= 200 && height <= 4000)) return;
  for (const frame of document.querySelectorAll('iframe')) {
    if (frame.contentWindow === event.source) frame.style.height = `${Math.ceil(height)}px`;
  }
});
