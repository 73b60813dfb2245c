/**
 * Posts {type: 'attention-lab:height', height} to the parent whenever the content's height changes.
 * The height measured is the content's own, which does not depend on the frame's height, so a parent
 * that follows it cannot start a loop; changes below two pixels are not worth a message.
 */
export function reportHeight(content: HTMLElement): void {
  if (window.parent === window) return;
  let told = 0;
  const tell = (): void => {
    const height = Math.ceil(content.getBoundingClientRect().height) + 16;
    if (Math.abs(height - told) < 2) return;
    told = height;
    window.parent.postMessage({ type: 'attention-lab:height', height }, '*');
  };
  new ResizeObserver(tell).observe(content);
}
