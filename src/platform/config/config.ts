/** Keys that protect stored credentials, 256 bits each. */
export interface Secrets {
  /** Key of the HMAC of client secrets and API keys. */
  readonly pepper: Buffer;
  /** Encrypts the private signing keys. */
  readonly encryptionKey: Buffer;
}

export interface S3Settings {
  endpoint?: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

/** An allowed frequency: the attempts in a window, and how long the first attempt beyond them blocks the caller. */
export interface RatePolicy {
  attempts: number;
  windowS: number;
  /** 0: no block. A rejected caller waits until the window allows another attempt. */
  blockS: number;
}

/** Null is off. */
type OptionalPolicy = RatePolicy | null;

/** The settings of the service in typed sections, created once at start. Only this folder reads the environment. */
export abstract class Config {
  readonly production: boolean;
  readonly http: {
    port: number;
    host: string;
    /**
     * Ports that serve `/metrics`, and the documents: Swagger UI, the OpenAPI document and the guide. Null: none does.
     */
    metricsPort: number | null;
    docsPort: number | null;
    /** Base URL for callers: in links, the issuer of tokens and the OpenAPI document. */
    publicUrl: string;
    stagingUrl?: string;
    trustProxy: string[];
    corsOrigins: string[];
    drainMs: number;
    shutdownTimeoutMs: number;
    requestWaitMs: number;
  };
  readonly logging: {
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    format: 'auto' | 'json' | 'pretty';
  };
  readonly dataDir: string;
  /** What an operator should change, one line each; logged when the service is ready. */
  readonly warnings: readonly string[];
  readonly database: {
    /** Absent: the service starts the embedded PostgreSQL under `dataDir`. */
    url?: string;
    /** A replica of that database, which takes reads of tables. Absent: all reads use the primary. */
    readUrl?: string;
    poolSize: number;
    connectTimeoutMs: number;
    /** The time within which a silent database must respond to a probe. */
    probeTimeoutMs: number;
    statementTimeoutMs: number;
    lockTimeoutMs: number;
    /** Is there a pooler, such as PgBouncer, that may serve each transaction by another connection? */
    isPooledByTransaction: boolean;
    /** May the pooler receive prepared statements? */
    areStatementsPrepared: boolean;
  };
  readonly secrets: Secrets;
  readonly tokens: {
    accessTtlS: number;
    refreshTtlS: number;
    /** How often each instance reads the signing keys. */
    keyReloadS: number;
    maxSessionsPerUser: number;
  };
  readonly audit: { retentionDays: number };
  readonly cleanup: { intervalS: number };
  readonly jobs: { pollS: number };
  /** Rate limits by the name of the policy. */
  readonly rateLimits: {
    /** All instances share the buckets. A route names its policy with @RateLimit(). */
    shared: {
      token: OptionalPolicy;
      tokenFailures: OptionalPolicy;
      public: OptionalPolicy;
      /** One bucket for all addresses. It counts only requests that `public` allows. */
      publicTogether: OptionalPolicy;
    };
    /** For all other routes; each instance has its own buckets. */
    local: { read: OptionalPolicy; write: OptionalPolicy; keyFailures: OptionalPolicy };
  };
  readonly body: { memoryBytes: number; temporaryBytes: number };
  /** Without S3, files are stored on the local disk. */
  readonly storage: { s3?: S3Settings };
  readonly tables: {
    maxColumns: number;
    /** Not a setting. Tests of the engine have smaller rows. */
    rowMaxBytes: number;
    /** Not a setting. Clients rely on this time. */
    tombstoneDays: number;
    /** Days for which former rows are stored, unless the table has another number. */
    historyDays: number;
  };
  readonly imports: {
    maxBytes: number;
    /** Imports of this instance that receive their file, wait or run. */
    maxOpen: number;
    timeoutS: number;
  };
  readonly attachments: { urlTtlS: number };
  readonly notes: {
    /** May anonymous callers write notes, if the project and the workspace allow it? */
    publicNotes: boolean;
    publicQuotaBytes: number;
  };
  readonly events: {
    retentionDays: number;
    /** Readers of this instance that wait for events. */
    maxWaiting: number;
    allowHttp: boolean;
    /** Addresses to which deliveries are sent in addition to public ones. */
    allowedNetworks: string[];
    timeoutMs: number;
    /** Attempts of this instance that are in progress. */
    concurrency: number;
    retryDelaysS: number[];
  };
}
