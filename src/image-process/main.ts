/**
 * The program that decodes one image. It reads the bytes of the image from standard input. It writes a line of JSON
 * with the size of the image in pixels, and then the bytes of its thumbnail. The service limits the memory and the CPU
 * time of the process (src/modules/attachments/image-process.ts): a file of a few kilobytes may decode to gigabytes.
 */
import { constants, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import sharp, { type Sharp } from 'sharp';
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
sharp.cache(false);
sharp.concurrency(1);

const bytes = await buffer(process.stdin);
if (isBmp(bytes)) {
  writeSize(readBmpSize(bytes));
  const { data, width, height } = readBmpPixels(bytes, 2 * THUMBNAIL_SIDE);
  await writeThumbnail(sharp(data, { raw: { width, height, channels: 3 } }));
} else {
  const readable = withKnownBrand(bytes);
  // The limits of the process replace the limit of pixels: the memory of an image depends on its format, not only on
  // its pixels.
  const options = { limitInputPixels: false, failOn: 'error' } as const;
  const { autoOrient } = await sharp(readable, options).metadata();
  writeSize(autoOrient);
  if (autoOrient.width * autoOrient.height > MAX_PIXELS)
    throw new Error(`The image has more than ${MAX_PIXELS} pixels.`);
  await writeThumbnail(sharp(readable, options).autoOrient());
}

function writeSize({ width, height }: { width: number; height: number }): void {
  process.stdout.write(`${JSON.stringify({ width, height })}\n`);
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
