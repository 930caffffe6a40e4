import { ApiProperty } from '@nestjs/swagger';

/** The smallest image. */
export const EXAMPLE_PHOTO = {
  filename: 'valve.png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
};

/** A file in a JSON body. */
export class FileDto {
  /** Name to display; a path in it is removed. */
  @ApiProperty({ example: EXAMPLE_PHOTO.filename })
  filename: string;

  /** Ignored: the type is detected from the content. */
  @ApiProperty({ required: false, example: 'image/png' })
  contentType?: string;

  /** Base64 (both alphabets, line breaks allowed), or a data URI `data:<type>;base64,<data>`. */
  @ApiProperty({
    contentEncoding: 'base64',
    example: EXAMPLE_PHOTO.data,
  } as object)
  data: string;
}
