import type { IGetToken } from 'strtok3';

/** Limits of what is read from one file: its headers are much smaller. */
const MAX_READ_BYTES = 1_000_000;
const MAX_READS = 20_000;

/**
 * Does the file contain audio and no video? Containers such as MP4 and WebM contain either. A file whose tracks cannot
 * be read within the limits counts as a video.
 */
export async function isAudioOnly(path: string): Promise<boolean> {
  // Loaded with the first file, because the parsers are not needed to start.
  const [{ parseFromTokenizer }, { fromFile }] = await Promise.all([import('music-metadata'), import('strtok3')]);
  const tokenizer = await fromFile(path);
  try {
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

interface Tokens {
  readToken<T>(token: IGetToken<T>, position?: number): Promise<T>;
  peekToken<T>(token: IGetToken<T>, position?: number): Promise<T>;
}

/** The memory of a token is allocated before it is read, by a length that the file contains. */
function limitReads(tokens: Tokens): void {
  let reads = 0;
  for (const method of ['readToken', 'peekToken'] as const) {
    const read = tokens[method].bind(tokens);
    tokens[method] = (token, position) => {
      if (token.len > MAX_READ_BYTES || ++reads > MAX_READS) throw new Error('The headers of the file are too large');
      return read(token, position);
    };
  }
}
