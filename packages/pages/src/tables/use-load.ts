import { useEffect, useState } from 'preact/hooks';

export interface Loaded<Data> {
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
}

/**
 * Loads when a dependency changes; the former data remains until then. A load whose dependencies have changed is
 * aborted.
 *
 * @param load undefined: nothing is loaded
 */
export function useLoad<Data>(
  load: ((signal: AbortSignal) => Promise<Data>) | undefined,
  dependencies: readonly unknown[],
): Loaded<Data> {
  const [loaded, setLoaded] = useState<Loaded<Data>>({
    data: undefined,
    error: undefined,
    isLoading: load !== undefined,
  });
  useEffect(() => {
    if (!load) {
      setLoaded({ data: undefined, error: undefined, isLoading: false });
      return;
    }
    const controller = new AbortController();
    setLoaded(({ data }) => ({ data, error: undefined, isLoading: true }));
    load(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setLoaded({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setLoaded({ data: undefined, error, isLoading: false });
      },
    );
    return () => {
      controller.abort();
    };
  }, dependencies);
  return loaded;
}
