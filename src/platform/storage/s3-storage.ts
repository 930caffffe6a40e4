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
import type { S3Settings } from '../config/config.js';
import { settleByEvents } from '../listeners.js';
import { FileStorage, type LocalFile, MAX_OPEN_FILES, requireKey, type StoredFile } from './file-storage.js';
import { MissingFileError, StorageUnavailableError } from './storage.errors.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Time limit for the beginning of a response. */
const RESPONSE_TIMEOUT_MS = 30_000;
/** Time limit between two packets of a response. */
const IDLE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;
const RETRY_PAUSE_MS = 200;

/** Each file that is read occupies a connection until its reader has it; the other half is for short requests. */
const AGENT = { keepAlive: true, maxSockets: 2 * MAX_OPEN_FILES };

const ignore = () => undefined;

/** The client would print warnings; this class logs what matters. */
const SILENT_LOGGER = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Files in a bucket of an S3-compatible storage. */
export class S3Storage extends FileStorage implements OnApplicationShutdown {
  private readonly logger = new Logger(S3Storage.name);
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor(settings: S3Settings) {
    super();
    const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
    this.bucket = settings.bucket;
    this.client = new S3Client({
      endpoint,
      region,
      forcePathStyle,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: MAX_ATTEMPTS,
      logger: SILENT_LOGGER,
      // Most S3-compatible storages do not support the checksums that the client adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: RESPONSE_TIMEOUT_MS,
        throwOnRequestTimeout: true,
        socketTimeout: IDLE_TIMEOUT_MS,
        httpAgent: AGENT,
        httpsAgent: AGENT,
      },
    });
  }

  /** Runs after the HTTP server has drained. */
  onApplicationShutdown(): void {
    this.client.destroy();
  }

  async put(key: string, file: LocalFile): Promise<void> {
    // The client cannot repeat a stream; this method opens the file again.
    for (let attempt = 1; ; attempt++) {
      const body = createReadStream(file.path);
      try {
        // An error of the file reaches neither the client nor its request.
        await settleByEvents((on, resolve, reject) => {
          on(body, 'error', reject);
          void this.store(key, body, file.size, Buffer.from(file.sha256, 'hex')).then(resolve, reject);
        });
        return;
      } catch (error) {
        if (!(error instanceof StorageUnavailableError) || attempt === MAX_ATTEMPTS) throw error;
        await delay(RETRY_PAUSE_MS * attempt);
      } finally {
        body.destroy();
      }
    }
  }

  async write(key: string, bytes: Buffer): Promise<void> {
    await this.store(key, bytes, bytes.length, createHash('sha256').update(bytes).digest());
  }

  async findSize(key: string): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.locate(key));
    const found = await this.client.send(command).catch((error: unknown) => this.ignoreMissing(error));
    return found?.ContentLength;
  }

  protected async openStream(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ ...this.locate(key), Range });
    try {
      return (await this.client.send(command)).Body as Readable;
    } catch (error) {
      throw isMissing(error) ? new MissingFileError(key) : this.toUnavailable(error);
    }
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.locate(key));
    await this.client.send(command).catch((error: unknown) => this.ignoreMissing(error));
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
      throw this.toUnavailable(error);
    }
  }

  private async store(key: string, Body: Readable | Buffer, ContentLength: number, sha256: Buffer): Promise<void> {
    const ChecksumSHA256 = sha256.toString('base64');
    const command = new PutObjectCommand({ ...this.locate(key), Body, ContentLength, ChecksumSHA256 });
    try {
      await this.client.send(command);
    } catch (error) {
      throw this.toUnavailable(error);
    }
  }

  private locate(Key: string) {
    requireKey(Key);
    return { Bucket: this.bucket, Key };
  }

  private ignoreMissing(error: unknown): undefined {
    if (!isMissing(error)) throw this.toUnavailable(error);
  }

  /** Logs only the name and status: the storage's message may contain the request and its signature. */
  private toUnavailable(error: unknown): unknown {
    // The local file cannot be read; the storage did not fail.
    if (!(error instanceof Error) || (error as NodeJS.ErrnoException).syscall === 'open') return error;
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    this.logger.warn(`The object storage failed: ${name} ${$metadata?.httpStatusCode ?? ''}`.trimEnd());
    return new StorageUnavailableError(error);
  }
}

/** A missing bucket is not included: then the storage is unavailable. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}
