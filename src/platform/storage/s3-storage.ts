import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { FileStorage, type LocalFile, requireKey, type StoredFile } from './file-storage.js';
import { MissingFileError, StorageUnavailableError } from './storage.errors.js';

const CONNECT_MS = 3_000;
/** By when an answer must begin. */
const ANSWER_MS = 30_000;
/** How long an answer under way may stand still. */
const STILL_MS = 30_000;
const ATTEMPTS = 3;
const PAUSE_MS = 200;

const quiet = () => undefined;

/** The client would warn on the console; what matters is said in the service's own log. */
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Files in a bucket of an S3-compatible storage. */
export class S3Storage extends FileStorage implements OnApplicationShutdown {
  private readonly logger = new Logger(S3Storage.name);
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor(settings: NonNullable<Config['storage']['s3']>) {
    super();
    const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
    this.bucket = settings.bucket;
    this.client = new S3Client({
      endpoint,
      region,
      forcePathStyle,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: ATTEMPTS,
      logger: SILENT,
      // Most S3-compatible storages do not know the checksums that the client would add.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        socketTimeout: STILL_MS,
      },
    });
  }

  /** Requests under way have had their answers by now. */
  onApplicationShutdown(): void {
    this.client.destroy();
  }

  async put(key: string, file: LocalFile): Promise<void> {
    // The client cannot begin a stream anew; a file can.
    for (let attempt = 1; ; attempt++) {
      const body = createReadStream(file.path);
      try {
        await this.store(key, body, file.size, Buffer.from(file.sha256, 'hex'));
        return;
      } catch (error) {
        if (!(error instanceof StorageUnavailableError) || attempt === ATTEMPTS) throw error;
        await delay(PAUSE_MS * attempt);
      } finally {
        body.destroy();
      }
    }
  }

  async write(key: string, bytes: Buffer): Promise<void> {
    await this.store(key, bytes, bytes.length, createHash('sha256').update(bytes).digest());
  }

  async findSize(key: string): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.place(key));
    const found = await this.client.send(command).catch((error: unknown) => this.noneWhereMissing(error));
    return found?.ContentLength;
  }

  async open(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ ...this.place(key), Range });
    try {
      return (await this.client.send(command)).Body as Readable;
    } catch (error) {
      throw isMissing(error) ? new MissingFileError(key) : this.unavailable(error);
    }
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.place(key));
    await this.client.send(command).catch((error: unknown) => this.noneWhereMissing(error));
  }

  async *list(prefix = ''): AsyncGenerator<StoredFile> {
    for (let page: ListObjectsV2CommandOutput | undefined; !page || page.IsTruncated;) {
      page = await this.listPage(prefix, page?.NextContinuationToken);
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        yield { key: Key!, size: Size!, modifiedAt: LastModified! };
      }
    }
  }

  private async listPage(Prefix: string, ContinuationToken?: string): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix, ContinuationToken });
    try {
      return await this.client.send(command);
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  private async store(key: string, Body: Readable | Buffer, ContentLength: number, sha256: Buffer): Promise<void> {
    const ChecksumSHA256 = sha256.toString('base64');
    const command = new PutObjectCommand({ ...this.place(key), Body, ContentLength, ChecksumSHA256 });
    try {
      await this.client.send(command);
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  private place(Key: string) {
    requireKey(Key);
    return { Bucket: this.bucket, Key };
  }

  private noneWhereMissing(error: unknown): undefined {
    if (!isMissing(error)) throw this.unavailable(error);
  }

  /** The log is told what it was, and not in the storage's own words: those may repeat the request and its signature. */
  private unavailable(error: unknown): unknown {
    // A file that cannot be read is no fault of the storage.
    if (!(error instanceof Error) || (error as NodeJS.ErrnoException).syscall === 'open') return error;
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    this.logger.warn(`The object storage failed: ${name} ${$metadata?.httpStatusCode ?? ''}`.trimEnd());
    return new StorageUnavailableError(error);
  }
}

/** A bucket that is not there is none of it: then nothing can be kept. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}
