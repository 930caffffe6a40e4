/** What the document says of the files that stagings take. */
export const IMAGES = 'Images, at most 20 MiB each.';

/** One pixel, for people to try. */
export const PICTURE = {
  filename: 'living-room.png',
  data: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
