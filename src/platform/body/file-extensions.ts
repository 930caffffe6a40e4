/**
 * The accepted types, of which a browser executes none, with their extensions. The first one is added to a name with
 * another extension.
 */
const EXTENSIONS: ReadonlyMap<string, string[]> = new Map(
  Object.entries({
    'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif', 'mpo'],
    'image/png': ['png', 'apng'],
    'image/apng': ['png', 'apng'],
    'image/gif': ['gif'],
    'image/webp': ['webp'],
    'image/avif': ['avif', 'avifs', 'heif'],
    'image/heic': ['heic', 'heif', 'hif'],
    'image/heif': ['heif', 'heic', 'hif'],
    'image/heic-sequence': ['heics', 'heic', 'heif', 'hif'],
    'image/heif-sequence': ['heifs', 'heif', 'heic', 'hif'],
    'image/bmp': ['bmp', 'dib'],
    'image/tiff': ['tif', 'tiff'],
    'image/jp2': ['jp2', 'jpg2', 'j2k'],
    'image/jpx': ['jpx', 'jpf'],
    'image/jpm': ['jpm'],
    'image/j2c': ['j2c', 'j2k', 'jpc'],
    'audio/mpeg': ['mp3', 'mp2', 'mpa', 'mpga'],
    'audio/mp4': ['m4a', 'm4b', 'm4r', 'mp4'],
    'audio/aac': ['aac', 'adts'],
    'audio/ogg': ['ogg', 'oga', 'opus', 'spx'],
    'audio/flac': ['flac'],
    'audio/wav': ['wav', 'wave', 'bwf', 'rf64'],
    'audio/aiff': ['aiff', 'aif', 'aifc'],
    'audio/amr': ['amr'],
    'audio/x-ms-asf': ['wma', 'asf'],
    'audio/x-caf': ['caf'],
    'audio/ac3': ['ac3'],
    'audio/eac3': ['eac3', 'ec3'],
    'audio/basic': ['au', 'snd'],
    'audio/webm': ['weba', 'webm'],
    'audio/matroska': ['mka', 'mkv'],
    'audio/3gpp': ['3gp', '3gpp', '3ga'],
    'audio/3gpp2': ['3g2', '3gp2'],
    'video/mp4': ['mp4', 'm4v', 'f4v'],
    'video/quicktime': ['mov', 'qt'],
    'video/x-m4v': ['m4v', 'mp4'],
    'video/webm': ['webm'],
    'video/matroska': ['mkv'],
    'video/vnd.avi': ['avi'],
    'video/mpeg': ['mpg', 'mpeg', 'mpe', 'vob'],
    'video/ogg': ['ogv', 'ogg'],
    'video/x-ms-asf': ['wmv', 'asf'],
    'video/3gpp': ['3gp', '3gpp'],
    'video/3gpp2': ['3g2', '3gp2'],
    'video/mp2t': ['ts', 'mts', 'm2ts', 'm2t'],
    'video/x-flv': ['flv'],
    'application/pdf': ['pdf'],
  }),
);

export const isAccepted = (contentType: string): boolean => EXTENSIONS.has(contentType);

/**
 * Adds the extension of the content to a name with another one: a program that opens a download by its extension must
 * not execute an image named `plan.hta`, which becomes `plan.hta.gif` (ASVS 5.0, V5.2.2).
 */
export function withExtension(filename: string, contentType: string): string {
  const extensions = EXTENSIONS.get(contentType);
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  const isNamed = filename.includes('.') && extensions?.includes(extension);
  return isNamed || !extensions ? filename : `${filename}.${extensions[0]}`;
}
