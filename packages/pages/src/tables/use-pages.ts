import { useEffect, useRef, useState } from 'preact/hooks';

/** A page of a list of the API. */
export interface Page<Entry> {
  items: Entry[];
  nextCursor?: string | null;
}

export interface Pages<Entry, Data extends Page<Entry>> {
  items: Entry[];
  pages: Data[];
  error: unknown;
  isLoading: boolean;
  hasMore: boolean;
  loadMore: () => void;
}

/** A list that is read page by page. It begins again when a dependency changes. */
export function usePages<Entry, Data extends Page<Entry>>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
): Pages<Entry, Data> {
  const [state, setState] = useState<{ pages: Data[]; error: unknown; isLoading: boolean }>({
    pages: [],
    error: undefined,
    isLoading: true,
  });
  const controller = useRef(new AbortController());

  const read = (before: Data[]): void => {
    const { signal } = controller.current;
    setState(({ pages }) => ({ pages, error: undefined, isLoading: true }));
    load(before.at(-1)?.nextCursor ?? undefined, signal).then(
      (page) => {
        if (!signal.aborted) setState({ pages: [...before, page], error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!signal.aborted) setState({ pages: before, error, isLoading: false });
      },
    );
  };

  useEffect(() => {
    controller.current = new AbortController();
    read([]);
    return () => {
      controller.current.abort();
    };
  }, dependencies);

  const { pages, error, isLoading } = state;
  return {
    items: pages.flatMap(({ items }) => items),
    pages,
    error,
    isLoading,
    hasMore: Boolean(pages.at(-1)?.nextCursor),
    loadMore: () => {
      read(pages);
    },
  };
}
