/** What must not be lost: the table and the bucket. */
import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { tableSchema } from '#adapters/table-keys.ts';

export class StorageStack extends Stack {
  readonly table: TableV2;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
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
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.bucket = new Bucket(this, 'Artifacts', {
      versioned: true,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { id: 'old-versions', noncurrentVersionExpiration: Duration.days(90) },
        { id: 'runs', prefix: 'runs/', expiration: Duration.days(365) },
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(7) },
      ],
    });
  }
}
