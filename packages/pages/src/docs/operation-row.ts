import type { Json } from './page-document.js';
import type { Component, ImmutableMap, StateComponent, System } from './swagger-ui.js';

/**
 * A plain row instead of an operation that is neither expanded nor near the view: Swagger UI renders each operation
 * again whenever the page changes.
 *
 * @param Original the operation of Swagger UI
 */
export function createOperationRow(system: System, Original: StateComponent): Component {
  const { React } = system;
  const h = React.createElement;

  const PlainRow = (props: Json) => {
    const { path, method, tag, operationId } = props as Record<'path' | 'method' | 'tag' | 'operationId', string>;
    const text = (className: string, content: unknown) => h('span', { className }, content);
    const description = (props['op'] as ImmutableMap).getIn(['operation', 'summary']);
    const names = h(
      'div',
      { className: 'opblock-summary-path-description-wrapper' },
      h('span', { className: 'opblock-summary-path', 'data-path': path }, path),
      text('opblock-summary-description', description),
    );
    const onClick = () => system.getSystem().layoutActions.show(['operations', tag, operationId], true);
    const control = { className: 'opblock-summary-control', 'aria-expanded': false, onClick };
    const summary = { className: `opblock-summary opblock-summary-${method}` };
    return h(
      'div',
      { className: `opblock opblock-${method}`, id: `operations-${tag.replace(/\s/g, '_')}-${operationId}` },
      h('div', summary, h('button', control, text('opblock-summary-method', method.toUpperCase()), names)),
    );
  };

  function OperationRow(props: Json): unknown {
    const [isNear, setNear] = React.useState(false);
    const row = React.useRef<Element | null>(null);
    React.useEffect(() => {
      const notify = (entries: readonly IntersectionObserverEntry[]) => setNear(entries.at(-1)!.isIntersecting);
      const observer = new IntersectionObserver(notify, { rootMargin: '400px' });
      observer.observe(row.current!);
      return () => observer.disconnect();
    }, []);
    return h('div', { ref: row }, h(isNear || props['isShown'] ? Original : PlainRow, props));
  }
  // Swagger UI passes what this method reads from its state.
  (OperationRow as unknown as StateComponent).prototype.mapStateToProps = Original.prototype.mapStateToProps;
  return OperationRow;
}
