import { copyText } from '../copy-text.js';
import type { Component, System } from './swagger-ui.js';

/** How to connect an assistant to the service of this page. */
export const createAssistantBox = ({ React }: System): Component => {
  const h = React.createElement;
  const url = new URL('mcp', document.baseURI).href;
  const server = { type: 'http', url, headers: { 'X-API-Key': 'KEY' } };
  const configuration = JSON.stringify({ mcpServers: { atrium: server } }, null, 2);
  const guide = (anchor: string, text: string) => h('a', { href: `guide/connecting-an-assistant${anchor}` }, text);

  return () => {
    const [label, setLabel] = React.useState('Copy');
    const copy = async (): Promise<void> => {
      setLabel(await copyText(configuration));
      window.setTimeout(() => setLabel('Copy'), 2_000);
    };
    return h(
      'details',
      { className: 'assistant-box' },
      h('summary', null, 'Connect an assistant'),
      h('p', null, 'Address for the Model Context Protocol: ', h('code', null, url)),
      h('pre', { tabIndex: 0, 'aria-label': 'Configuration' }, configuration),
      h('button', { type: 'button', className: 'btn', onClick: () => void copy() }, label),
      h('p', null, 'Replace KEY by ', guide('#issue-a-key', 'an API key for the assistant'), '.'),
      h('p', null, guide('', 'The guide'), ' states what an assistant may read and change.'),
    );
  };
};
