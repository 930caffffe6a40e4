/** Replaces the names of the module of docs/how-to/extending.md, checklists, by those of another module. */

const SUFFIXES = '(?:entity|dto|service|controller|module|e2e-spec)';

/** The forms of the name; undefined if it is not a plural, or its singular is unknown. */
export function createNames(many, one = singularOf(many)) {
  const isName = (name) => /^[a-z]+(-[a-z0-9]+)*$/.test(name ?? '');
  if (!isName(many) || !isName(one) || many === one) return undefined;
  return { many, one, timestamp: String(Date.now()) };
}

function singularOf(many) {
  if (many.endsWith('ies')) return `${many.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(many)) return many.slice(0, -2);
  return /[^s]s$/.test(many) ? many.slice(0, -1) : undefined;
}

/**
 * Each name of the text in the form that its context needs: in SQL, in the names of files, in sentences, or in code.
 */
export function renameModule(text, { many, one, timestamp }) {
  const choose = (name) => (name.toLowerCase().endsWith('s') ? many : one);
  const renamed = text
    .replaceAll('1763800000000', timestamp)
    .replace(/((?:pk|uq|fk)_|TABLE |Entity\(')checklists/g, (_, prefix) => prefix + toSnake(many))
    .replace(new RegExp(`\\bchecklists?(?=\\.${SUFFIXES}\\b)`, 'g'), choose)
    .replace(/((?:modules|api|e2e)\/|\d-)checklists/g, `$1${many}`)
    .replace(/(kind: ')checklist(?=')/g, (_, prefix) => prefix + one)
    .replace(
      /((?:one|many): '|The |describe\('|record\(')(checklists?)/g,
      (_, prefix, name) => prefix + toWords(choose(name)),
    )
    .replace(/((?:Tags\(|name: |^\s*)')Checklists(?=')/gm, (_, prefix) => prefix + capitalize(toWords(many)))
    .replace(/^\s*(?:\/\*\*|\*|\/\/|description:).*$/gm, (line) => renameSentence(line, choose))
    .replace(/Checklists?/g, (name) => capitalize(toCamel(choose(name))))
    .replace(/checklists?/g, (name) => toCamel(choose(name)));
  return renamed;
}

function renameSentence(line, choose) {
  return line
    .replace(/Checklists?/g, (name) => capitalize(toWords(choose(name))))
    .replace(/(\ba )?(checklists?)/g, (_, article = '', name) => {
      const words = toWords(choose(name));
      return (article && /^[aeio]/.test(words) ? 'an ' : article) + words;
    });
}

const toWords = (name) => name.replaceAll('-', ' ');
const toSnake = (name) => name.replaceAll('-', '_');
const toCamel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const capitalize = (text) => text[0].toUpperCase() + text.slice(1);
