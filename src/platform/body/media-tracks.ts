import type { ITokenizer } from 'strtok3';

/** Limits of what is read from one file: its headers are much smaller. */
const MAX_READ_BYTES = 1_000_000;
const MAX_READS = 20_000;

/** Milliseconds of reading: a file of 30 kB may consist of thousands of elements that are skipped one by one. */
const MAX_MS = 500;

/** What a tokenizer reads or skips by a length or type that the file contains. */
const READS = ['readToken', 'peekToken', 'readNumber', 'peekNumber', 'readBuffer', 'peekBuffer', 'ignore'] as const;

/**
 * Does the file contain audio and no video? Containers such as MP4 and WebM contain either. A file whose tracks cannot
 * be read within the limits counts as a video.
 *
 * @param contentType the type of the container. Those of 3GPP are read as MP4, on which they are based.
 */
export async function isAudioOnly(path: string, contentType: string): Promise<boolean> {
  // Loaded with the first file, because the parsers are not needed to start.
  const [{ parseFromTokenizer }, { fromFile }] = await Promise.all([import('music-metadata'), import('strtok3')]);
  const tokenizer = await fromFile(path);
  try {
    if (contentType.startsWith('video/3gpp')) tokenizer.fileInfo.mimeType = 'video/mp4';
    limitReads(tokenizer);
    const { format } = await parseFromTokenizer(tokenizer, {
      duration: false,
      skipCovers: true,
      skipPostHeaders: true,
    });
    return format.hasAudio === true && format.hasVideo !== true;
  } catch {
    return false;
  } finally {
    await tokenizer.close();
  }
}

/** The memory of a token is allocated before it is read, by a length that the file contains. */
function limitReads(tokenizer: ITokenizer): void {
  const end = performance.now() + MAX_MS;
  let reads = 0;
  for (const method of READS) {
    const read = tokenizer[method].bind(tokenizer) as (argument: unknown, ...others: unknown[]) => Promise<unknown>;
    const limited = (argument: unknown, ...others: unknown[]) => {
      const bytes = method === 'ignore' ? 0 : lengthOf(argument);
      if (bytes > MAX_READ_BYTES || ++reads > MAX_READS || performance.now() > end)
        throw new Error('The headers of the file are too large');
      return read(argument, ...others);
    };
    Object.assign(tokenizer, { [method]: limited });
  }
}

/** Bytes of a buffer or token. */
function lengthOf(argument: unknown): number {
  const { length = 0, len = 0 } = argument as { length?: number; len?: number };
  return Math.max(length, len);
}
