/**
 * The program that decodes one image, or reads the tracks of one recording. It reads the bytes of the file from
 * standard input; its argument is the type of a recording. Of an image it writes a line of JSON with the size in
 * pixels, and then the bytes of its thumbnail, of a recording a line with `isAudioOnly`. The service limits the memory
 * and the CPU time of the process (src/modules/attachments/image-process.ts): a file of a few kilobytes may decode to
 * gigabytes, or consist of thousands of elements.
 */
import { constants, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import type { Sharp, SharpOptions } from 'sharp';
import { isBmp, readBmpPixels, readBmpSize } from './bmp.js';

/** Longest side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 480;

/**
 * Pixels of an image that is decoded: those of larger ones take longer than the limit of CPU time. A PNG of some
 * kilobytes may have billions, and would delay the thumbnails of others by this time.
 */
const MAX_PIXELS = 500_000_000;

/** The service, which answers requests, has the higher priority. */
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const bytes = await buffer(process.stdin);
const [, , containerType] = process.argv;
if (containerType === undefined) await decodeImage();
else writeLine({ isAudioOnly: await isAudioOnly(containerType) });

/** Has the recording audio and no video? The parser has none for the types of 3GPP, which are based on MP4. */
async function isAudioOnly(type: string): Promise<boolean> {
  const { parseBuffer } = await import('music-metadata');
  const mimeType = type.startsWith('video/3gpp') ? 'video/mp4' : type;
  const { format } = await parseBuffer(
    bytes,
    { mimeType },
    { duration: false, skipCovers: true, skipPostHeaders: true },
  );
  return format.hasAudio === true && format.hasVideo !== true;
}

async function decodeImage(): Promise<void> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  if (isBmp(bytes)) {
    writeLine({ size: readBmpSize(bytes) });
    const { data, width, height } = readBmpPixels(bytes, 2 * THUMBNAIL_SIDE);
    await writeThumbnail(sharp(data, { raw: { width, height, channels: 3 } }));
    return;
  }
  const readable = withKnownBrand(bytes);
  // The limits of the process replace the limit of pixels: the memory of an image depends on its format, not only on
  // its pixels.
  const options: SharpOptions = { limitInputPixels: false, failOn: 'error' };
  const { width, height } = (await sharp(readable, options).metadata()).autoOrient;
  writeLine({ size: { width, height } });
  if (width * height > MAX_PIXELS) throw new Error(`The image has more than ${MAX_PIXELS} pixels.`);
  await writeThumbnail(sharp(readable, options).autoOrient());
}

function writeLine(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function writeThumbnail(image: Sharp): Promise<void> {
  const resized = image.resize({
    width: THUMBNAIL_SIDE,
    height: THUMBNAIL_SIDE,
    fit: 'inside',
    withoutEnlargement: true,
  });
  process.stdout.write(await resized.webp().toBuffer());
}

/** libvips knows an HEIF or AVIF only by a few major brands. `mif1` is the brand of all still images. */
function withKnownBrand(image: Buffer): Buffer {
  if (
    image.toString('latin1', 4, 8) === 'ftyp' &&
    !/^(avif|avis|hei[cxms]|mif1|msf1)$/.test(image.toString('latin1', 8, 12))
  )
    image.write('mif1', 8, 'latin1');
  return image;
}
