import { type FileHandle, open } from 'node:fs/promises';
import type { FileKind } from '../storage/stored-file.dto.js';
import { isAccepted } from './file-extensions.js';
import {
  detectDolby,
  detectImageBrand,
  detectSignature,
  type FileContent,
  HEAD_BYTES,
  isTransportStream,
} from './media-signatures.js';

/** The type of a file's content. */
export interface FileType {
  kind: FileKind;
  contentType: string;
}

/** Types whose name in file-type is another one. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'audio/x-m4a': 'audio/mp4',
    'audio/ogg; codecs=opus': 'audio/ogg',
    'video/MP1S': 'video/mpeg',
    'video/MP2P': 'video/mpeg',
  }),
);

/**
 * Containers of video or of only audio, with the type of the latter. Their tracks are read after the upload
 * (`Previews`); until then they count as videos.
 */
export const AUDIO_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'video/mp4': 'audio/mp4',
    'video/x-m4v': 'audio/mp4',
    'video/quicktime': 'audio/mp4',
    'video/webm': 'audio/webm',
    'video/matroska': 'audio/matroska',
    'video/3gpp': 'audio/3gpp',
    'video/3gpp2': 'audio/3gpp2',
  }),
);

/** The accepted images, for messages. */
export const ACCEPTED_IMAGES = 'images (JPEG, PNG, GIF, WebP, AVIF, HEIC, BMP, TIFF, JPEG 2000)';

/** All accepted types, for messages. */
export const ACCEPTED_TYPES =
  `${ACCEPTED_IMAGES}, audio (MP3, M4A, AAC, Ogg, FLAC, WAV, AIFF, AMR, WMA), ` +
  'video (MP4, MOV, WebM, MKV, AVI, MPEG, MPEG-TS, FLV, Ogg, 3GP, WMV) and PDF';

const UNKNOWN = 'of an unknown type';

export function toFileKind(contentType: string): FileKind {
  return contentType === 'application/pdf' ? 'pdf' : (contentType.split('/')[0] as FileKind);
}

/** @returns the type of the content if it is accepted, else a description of it for messages */
export async function detectFileType(path: string, size: number): Promise<FileType | string> {
  const detected = await detect(path);
  const file = await open(path, 'r');
  try {
    const content = { file, size, head: await readHead(file) };
    const type = await refine(detected, content);
    if (type === undefined) return startsAsMarkup(content.head) ? 'markup such as HTML or SVG' : UNKNOWN;
    if (!isGenuine(type, content.head, size)) return UNKNOWN;
    const contentType = TYPE_NAMES.get(type) ?? type;
    return isAccepted(contentType) ? { kind: toFileKind(contentType), contentType } : type;
  } finally {
    await file.close();
  }
}

/** Corrects and completes what file-type detects. */
async function refine(detected: string | undefined, content: FileContent): Promise<string | undefined> {
  if (detected === 'audio/vnd.dolby.dd-raw') return detectDolby(content.head);
  const type = detectImageBrand(content.head) ?? detected;
  return type ?? (startsAsMarkup(content.head) ? undefined : detectSignature(content));
}

/** If the parser of a type fails on the content, the content is not of that type. */
async function detect(path: string): Promise<string | undefined> {
  // Loaded with the first file, because its parsers are not needed to start.
  const { fileTypeFromFile } = await import('file-type');
  try {
    return (await fileTypeFromFile(path))?.mime;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    return undefined;
  }
}

/**
 * file-type recognizes some types by two or three letters, or after other data. A text such as "BMW …" or `<!--free`
 * would pass there.
 */
function isGenuine(detected: string, head: Buffer, size: number): boolean {
  const text = head.toString('latin1');
  // Tags before MP3 and similar formats; their version is a small number.
  if (text.startsWith('ID3')) return detected.startsWith('audio/') && head[3]! < 5;
  if (detected === 'application/pdf') return /%PDF-\d/.test(text);
  if (text.startsWith('\xef\xbb\xbf')) return false;
  // Layer I is not in use; its bytes are the byte order mark of UTF-16.
  if (detected === 'audio/mpeg') return (head[1]! & 0x06) !== 0x06;
  if (detected === 'video/mp2t') return isTransportStream(head);
  if (detected === 'image/gif') return /^GIF8[79]a/.test(text);
  if (detected === 'image/bmp') return head.length > 18 && BMP_HEADERS.has(head.readUInt32LE(14));
  if (/^.{4}(ftyp|free|mdat|moov|wide)/s.test(text)) return isBoxSize(head.readUInt32BE(0), size);
  return true;
}

/** Sizes of the second header of a BMP, one per version. */
const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);

/** The first box of an MP4 or MOV ends within the file; 1 means a 64-bit size, 0 the rest of the file. */
function isBoxSize(box: number, size: number): boolean {
  return box <= 1 || (box >= 8 && box <= size);
}

function startsAsMarkup(head: Buffer): boolean {
  return /^(\xef\xbb\xbf)?\s*</.test(head.toString('latin1'));
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
