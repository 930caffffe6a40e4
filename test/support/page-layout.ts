import type { Page } from 'playwright-core';

/** The minimum contrast of texts in WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5;

/** Runs in the browser. Lists the visible texts whose contrast is too low. */
const FIND_LOW_CONTRAST = `(() => {
  const parse = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
    return { red, green, blue, alpha };
  };
  const blend = (over, under) => ({
    red: over.red * over.alpha + under.red * (1 - over.alpha),
    green: over.green * over.alpha + under.green * (1 - over.alpha),
    blue: over.blue * over.alpha + under.blue * (1 - over.alpha),
    alpha: 1,
  });
  const ancestors = (element) => (element ? [element, ...ancestors(element.parentElement)] : []);
  const backgroundOf = (element) =>
    ancestors(element).reverse().map((each) => parse(getComputedStyle(each).backgroundColor))
      .reduce((under, over) => blend(over, under), { red: 255, green: 255, blue: 255, alpha: 1 });
  const luminance = ({ red, green, blue }) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('');
    const style = getComputedStyle(element);
    const isHidden = !element.checkVisibility() || style.visibility === 'hidden' || element.disabled ||
      element.closest('option, svg, [disabled], noscript') !== null;
    if (!text || isHidden) continue;
    const background = backgroundOf(element);
    const color = { ...parse(style.color) };
    color.alpha *= ancestors(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
    const values = [luminance(blend(color, background)), luminance(background)].sort((a, b) => b - a);
    const ratio = (values[0] + 0.05) / (values[1] + 0.05);
    if (ratio < ${MIN_CONTRAST}) found.add(ratio.toFixed(1) + ' ' + element.tagName + '.' + element.className + ' ' + text.slice(0, 30));
  }
  return [...found];
})()`;

/** Runs in the browser. Lists the fields and buttons that another element covers, and a width that scrolls. */
const FIND_COVERED = `(() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push('the page is ' + scrollWidth + ' pixels wide');
  for (const element of document.querySelectorAll('button, input, select, textarea, a, label, .parameter__name')) {
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (width === 0 || height === 0 || !element.checkVisibility() || getComputedStyle(element).visibility === 'hidden') continue;
    const shown = document.elementFromPoint(x, y);
    const isShown = shown !== null && (element.contains(shown) || shown.contains(element));
    const describe = (each) => each && each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 30);
    if (!isShown) found.push(describe(element) + ' below ' + describe(shown));
  }
  return found;
})()`;

export const findLowContrast = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND_LOW_CONTRAST);

export const findCovered = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND_COVERED);
