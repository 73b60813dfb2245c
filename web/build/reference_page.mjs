// A page of the reference: no scripts, one dress.
import { escapeHtml } from './reference_text.mjs';

// `policy`: its content security policy. `links`: of the head, each { href, text }.
export function referencePage({ version, policy, title, links, body }) {
  const others = links.map(({ href, text }) => `, <a href="${href}">${text}</a>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>AttnLab: ${title}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="reference.css">
</head>
<body>
<header><a href="../index.html">AttnLab</a> ${escapeHtml(version)}${others}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
