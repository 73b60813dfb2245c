// What a C++ header of the core says: its opening comment, and each declaration with the comment
// above it. The headers keep one form (.clang-format), which is all that is read here: comments
// begin with //, namespaces are not indented, blank lines stand between declarations.

const isComment = (line) => /^\s*\/\//.test(line);
const words = (line) => line.replace(/^\s*\/\/ ?/, '');
// How many more braces a line opens than it closes, comments and texts aside.
const depthOf = (line) => {
  const code = line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'/g, '').replace(/\/\/.*$/, '');
  return [...code].reduce((sum, letter) => sum + (letter === '{') - (letter === '}'), 0);
};

// Without the preprocessor, the namespaces, and what goes on from a line of theirs.
function declarationLines(lines) {
  let goesOn = false;
  return lines.filter((line) => {
    const skipped = goesOn || /^\s*#/.test(line) || /^(inline )?namespace\b|^}  \/\/ namespace/.test(line);
    goesOn = skipped && line.endsWith('\\');
    return !skipped;
  });
}

// Runs of lines that belong together: to the next blank line outside all braces.
function blocksOf(lines) {
  const blocks = [[]];
  let depth = 0;
  for (const line of lines) {
    if (line.trim() === '' && depth === 0) blocks.push([]);
    else blocks.at(-1).push(line);
    depth += isComment(line) ? 0 : depthOf(line);
  }
  return blocks.filter((block) => block.length > 0);
}

// A class without what is private to it.
function publicPart(code) {
  const shown = [];
  let hidden = false;
  for (const line of code) {
    if (/^ {0,3}(private|protected):/.test(line)) hidden = true;
    if (/^ {0,3}public:/.test(line) || /^}/.test(line)) hidden = false;
    if (!hidden) shown.push(line);
  }
  while (shown.at(-2)?.trim() === '') shown.splice(-2, 1);
  return shown;
}

const isType = (code) => /^(template\s*<[^{]*>\s*)?(class|struct|enum|union)\b/.test(code);

// A function's body is no part of what is promised.
function withoutBody(code) {
  const lines = publicPart(code);
  const text = lines.join('\n');
  const opening = /\)[^(){};=]*\{$/m.exec(text);
  if (isType(text) || !opening || lines.length < 3) return text;
  return `${text.slice(0, opening.index + opening[0].length).replace(/\s*\{$/, '')};`;
}

// What can be linked to: types, names for types, functions; else a constant.
function namesIn(code) {
  const typed = /^(?:template\s*<[^{]*>\s*)?(?:class|struct|enum class|enum|union|using)\s+(\w+)/gm;
  const named = (pattern) => [...code.matchAll(pattern)].map(([, name]) => name);
  const types = named(typed);
  if (types.length > 0) return [...new Set(types)];
  const called = named(/^[^\s/].*?\b(\w+)\(/gm);
  return called.length > 0 ? [...new Set(called)] : named(/\b(k[A-Z]\w*)\b/g).slice(0, 1);
}

// One block may declare several things in a row, each under its own comment.
function itemsOf(block) {
  const items = [];
  let [comment, code, depth] = [[], [], 0];
  const end = () => {
    if (comment.length + code.length > 0) {
      const text = withoutBody(code);
      items.push({ comment: comment.map(words), code: text, names: namesIn(text) });
    }
    [comment, code] = [[], []];
  };
  for (const line of block) {
    if (isComment(line) && depth === 0) {
      if (code.length > 0) end();
      comment.push(line);
    } else {
      // A body has ended, and something else begins.
      if (depth === 0 && /^}/.test(code.at(-1) ?? '')) end();
      code.push(line);
      depth += isComment(line) ? 0 : depthOf(line);
    }
  }
  end();
  return items;
}

// → { intro: [line], items: [{ comment: [line], code, names }] }
export function readHeader(text) {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !isComment(line));
  const body = declarationLines(lines.slice(first));
  return { intro: lines.slice(0, first).map(words), items: blocksOf(body).flatMap(itemsOf) };
}
