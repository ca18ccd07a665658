/** Puts a kubeconfig where Kubeloom keeps it. */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { bucket } from '#local/environment.ts';

export interface S3Access {
  readonly endpoint: string;
  readonly accessKey: string;
}

export async function storeKubeconfig({ endpoint, accessKey }: S3Access, key: string, text: string): Promise<void> {
  const credentials = { accessKeyId: accessKey, secretAccessKey: 'local' };
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text }));
}
