import { ApiProperty } from '@nestjs/swagger';

/** The kinds of files, detected from their content. */
export const FILE_KINDS = ['image', 'audio', 'video', 'pdf'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A file of a record in a response. */
export class StoredFileDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The name that the caller sent, without characters that are unsafe to display. */
  @ApiProperty({ example: 'feed-pump-2.jpg' })
  filename: string;

  /** Detected from the content. */
  @ApiProperty({ example: 'image/jpeg' })
  contentType: string;

  @ApiProperty({ enum: FILE_KINDS, enumName: 'FileKind' })
  kind: FileKind;

  /** In bytes. */
  @ApiProperty({ type: 'integer', example: 102400 })
  size: number;

  /** SHA-256 of the bytes, in hexadecimal digits. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256: string;

  /** In pixels; null for other files, and for an image until it was analyzed, usually within seconds. */
  @ApiProperty({ type: 'integer', nullable: true, example: 4032 })
  width: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 3024 })
  height: number | null;

  /** Download URL that needs no credentials, valid until `urlExpiresAt`. */
  @ApiProperty({ format: 'uri' })
  url: string;

  /** URL of a small version of an image; null for other files, and until it was created. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  thumbnailUrl: string | null;

  urlExpiresAt: Date;

  createdAt: Date;
}
