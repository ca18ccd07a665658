/** Resources that must not be lost: the table, the bucket, and the key that encrypts both and the secrets. */
import { Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { tableSchema } from '#adapters/table-keys.ts';
import type { Options } from '../options.ts';

export interface StorageStackProps extends StackProps {
  readonly options: Options;
}

/** For which proposed plans can be approved. */
const planDays = 30;
const keptStateDays = 90;

export class StorageStack extends Stack {
  readonly table: TableV2;
  readonly bucket: Bucket;
  readonly key: Key;

  constructor(scope: Construct, id: string, props: StorageStackProps) {
    super(scope, id, props);
    const { installation, runDays, oldVersionDays, logDays, keyRotationDays } = props.options;
    this.key = new Key(this, 'Key', {
      alias: `alias/${installation}`,
      description: 'Kubeloom: table, bucket and secrets',
      enableKeyRotation: true,
      rotationPeriod: Duration.days(keyRotationDays),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const { partitionKey, sortKey, dueIndex, timeToLive } = tableSchema;
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: dueIndex.name,
          partitionKey: { name: dueIndex.partitionKey, type: AttributeType.STRING },
          sortKey: { name: dueIndex.sortKey, type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      timeToLiveAttribute: timeToLive,
      // For publish-events: reading it is free for Lambda, and nothing runs while nothing happens.
      dynamoStream: StreamViewType.NEW_IMAGE,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    // customerManagedKey() needs the region during synthesis, which is known only at deployment.
    const [table] = this.table.node.children.filter((child) => child instanceof CfnGlobalTable);
    table?.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', this.key.keyArn);
    this.bucket = new Bucket(this, 'Artifacts', {
      versioned: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      // One call of KMS for many objects.
      bucketKeyEnabled: true,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      serverAccessLogsBucket: this.#accessLogs(logDays),
      lifecycleRules: [
        {
          id: 'old-versions',
          noncurrentVersionExpiration: Duration.days(oldVersionDays),
          expiredObjectDeleteMarker: true,
        },
        // A log is written again every 2 seconds while its stage runs: no one asks for those before.
        ...['runs', 'checks'].map((id) => ({
          id,
          prefix: `${id}/`,
          expiration: Duration.days(runDays),
          noncurrentVersionExpiration: Duration.days(1),
        })),
        // Proposed plans wait for an approval; most have become something else by then.
        { id: 'plans', prefix: 'plans/', expiration: Duration.days(planDays) },
        // States as they were before someone edited them; a person puts one back soon, or never.
        { id: 'kept-states', prefix: 'kept-states/', expiration: Duration.days(keptStateDays) },
        // Certificates of people, without keys.
        { id: 'access', prefix: 'access/', expiration: Duration.days(1) },
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(7) },
      ],
    });
  }

  /** Who read and wrote which artifact. S3 writes access logs only where it encrypts itself. */
  #accessLogs(days: number): Bucket {
    const bucket = new Bucket(this, 'AccessLogs', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      lifecycleRules: [{ id: 'old-logs', expiration: Duration.days(days) }],
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'it holds the access logs; a log of its own would log itself',
    });
    return bucket;
  }
}
