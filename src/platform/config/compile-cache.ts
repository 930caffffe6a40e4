import module from 'node:module';
import { join } from 'node:path';

/** Node 22.8 and newer: the next start does not compile the modules that are loaded from now on. */
export function keepCompiledCode(dataDir: string): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => void };
  enableCompileCache?.(join(dataDir, 'compile-cache'));
}
