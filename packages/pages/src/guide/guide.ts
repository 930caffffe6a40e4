// The search of the guide, its copy buttons, and the reader's own values in commands.

import { copyText } from '../copy-text.js';
import type { GuideSection } from './guide-section.js';

const MAX_RESULTS = 12;
const WORKSPACE_KEY = 'atrium-guide-workspace';
const LANGUAGE_KEY = 'atrium-guide-language';

/** An element that every page of the guide has. */
const find = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T =>
  within.querySelector<T>(selector)!;

const create = <N extends keyof HTMLElementTagNameMap>(
  name: N,
  text = '',
  className = '',
): HTMLElementTagNameMap[N] => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

/** The text around the first word that it contains. */
const quote = (text: string, word: string): string => {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${start > 0 ? '…' : ''}${text.slice(start, start + 120)}…`;
};

const enableSearch = (): void => {
  const form = find<HTMLFormElement>('form[role=search]');
  const input = find<HTMLInputElement>('input', form);
  const list = find('ul', form);
  form.hidden = false;
  let loaded: Promise<GuideSection[]> | undefined;
  const load = () => (loaded ??= fetch('search.json').then((response) => response.json() as Promise<GuideSection[]>));

  const show = async (): Promise<void> => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const sections = words.length > 0 ? await load() : [];
    const rank = ({ page, heading, title, text }: GuideSection): number => {
      const contains = (part: string) => (word: string) => part.toLowerCase().includes(word);
      if (!words.every(contains(`${title} ${heading} ${text}`))) return 0;
      // What changed is read less often than how it works.
      if (page === 'changelog') return 0.5;
      return words.every(contains(heading)) ? 3 : words.every(contains(`${title} ${heading}`)) ? 2 : 1;
    };
    const found = sections
      .map((section) => ({ section, rank: rank(section) }))
      .filter((each) => each.rank > 0)
      .sort((one, other) => other.rank - one.rank);
    const items = found.slice(0, MAX_RESULTS).map(({ section: { page, title, heading, anchor, text } }) => {
      const item = create('li');
      const link = create('a');
      link.href = `${page}#${anchor}`;
      link.append(
        create('strong', heading === title ? title : `${title}: ${heading}`),
        create('small', quote(text, words[0]!)),
      );
      item.append(link);
      return item;
    });
    if (words.length > 0 && items.length === 0) items.push(create('li', 'Nothing found.'));
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
  };
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void show());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = list.querySelector('a');
    if (first) location.href = first.href;
  });
  form.addEventListener('keydown', (event) => {
    const step = Number(event.key === 'ArrowDown') - Number(event.key === 'ArrowUp');
    if (step === 0 || list.hidden) return;
    event.preventDefault();
    const stops: (Element | null)[] = [input, ...list.querySelectorAll('a')];
    (stops[stops.indexOf(document.activeElement) + step] as HTMLElement | undefined)?.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.hidden = true;
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Partial<Element>).tagName ?? '');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
};

const addCopyButtons = (): void => {
  for (const code of document.querySelectorAll('pre > code')) {
    const button = create('button', 'Copy', 'copy');
    button.type = 'button';
    button.addEventListener('click', () => {
      void copyText(code.textContent).then((outcome) => {
        button.textContent = outcome;
        setTimeout(() => (button.textContent = 'Copy'), 2_000);
      });
    });
    const block = create('div', '', 'block');
    const pre = code.parentElement!;
    pre.before(block);
    block.append(pre, button);
  }
};

/** Shows one of several languages, which the reader chooses once for all pages. */
const enableTabs = (): void => {
  const tabs: { language: string; button: HTMLElement; panel: HTMLElement }[] = [];
  const select = (language: string) => {
    for (const { language: each, button, panel } of tabs) {
      panel.hidden = each !== language;
      button.setAttribute('aria-selected', String(each === language));
    }
  };
  for (const group of document.querySelectorAll('.languages')) {
    const list = create('div', '', 'tabs');
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Language');
    for (const panel of group.querySelectorAll<HTMLElement>('.block')) {
      const pre = find('pre', panel);
      const language = pre.getAttribute('data-language')!;
      const button = create('button', pre.getAttribute('data-label')!);
      button.type = 'button';
      button.setAttribute('role', 'tab');
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-label', button.textContent);
      button.addEventListener('click', () => {
        localStorage.setItem(LANGUAGE_KEY, language);
        select(language);
      });
      list.append(button);
      tabs.push({ language, button, panel });
    }
    find('.block', group).before(list);
  }
  const stored = localStorage.getItem(LANGUAGE_KEY);
  const first = tabs.find(({ language }) => language === stored) ?? tabs[0];
  if (first) select(first.language);
};

/** Writes the address of this service, and the workspace, into the commands and the texts of links. */
const fillCommands = (): void => {
  const base = new URL('..', location.href).href.replace(/\/$/, '');
  const texts: { node: Text; original: string }[] = [];
  for (const element of document.querySelectorAll('pre > code, main a')) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null)
      texts.push({ node, original: node.data });
  }
  const fill = (workspace: string) => {
    for (const { node, original } of texts) {
      const text = original.replaceAll('$(demo baseUrl)', base).replaceAll('http://localhost:3000', base);
      node.data = workspace ? text.replaceAll('$(demo workspaceId)', workspace) : text;
    }
  };
  const form = find<HTMLFormElement>('form.own');
  const input = find<HTMLInputElement>('input', form);
  form.hidden = !texts.some(({ original }) => original.includes('$(demo workspaceId)'));
  form.addEventListener('submit', (event) => event.preventDefault());
  input.value = localStorage.getItem(WORKSPACE_KEY) ?? '';
  input.addEventListener('input', () => {
    localStorage.setItem(WORKSPACE_KEY, input.value);
    fill(input.value.trim());
  });
  fill(input.value);
  void offerWorkspaces(base, (workspaces) => {
    find('datalist', form).replaceChildren(
      ...workspaces.map(({ id, name }) => {
        const option = create('option', name);
        option.value = id;
        return option;
      }),
    );
    if (input.value) return;
    input.value = workspaces[0]?.id ?? '';
    fill(input.value);
  });
};

/** The workspaces of the caller who is signed in to Swagger UI. */
const offerWorkspaces = async (
  base: string,
  use: (workspaces: { id: string; name: string }[]) => void,
): Promise<void> => {
  try {
    const stored = JSON.parse(localStorage.getItem('authorized') ?? '{}') as {
      oauth2?: { token?: { access_token: string } };
    };
    const token = stored.oauth2?.token?.access_token;
    if (!token) return;
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${base}/v1/api/workspaces?limit=100`, { headers });
    if (!response.ok) return;
    const { data } = (await response.json()) as { data: { items: { id: string; name: string }[] } };
    use(data.items);
  } catch {
    // The reader enters the workspace.
  }
};

// On a narrow screen the pages are above the text.
if (matchMedia('(max-width: 60rem)').matches) find<HTMLDetailsElement>('details.pages').open = false;
enableSearch();
fillCommands();
addCopyButtons();
enableTabs();
