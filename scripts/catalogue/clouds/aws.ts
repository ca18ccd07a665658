/** AWS: the regions of its SDK, the instance types that two autoscalers list. */
import { z } from 'zod';
import { factsFrom, rowOf } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';
import { goTypes } from '../go-types.ts';

const Partitions = z.object({
  partitions: z.array(z.object({ id: z.string(), regions: z.record(z.string(), z.unknown()) })),
});

export const catalogue: CatalogueSource = async ({ file }) => {
  const sdk = await file('boto/botocore', 'botocore/data/partitions.json');
  const { partitions } = Partitions.parse(JSON.parse(sdk.text));
  // The isolated partitions (aws-iso…) are not reachable for anyone who reads this.
  const regions = partitions
    .filter(({ id }) => !id.startsWith('aws-iso'))
    .flatMap(({ regions: named }) => Object.keys(named).filter((name) => !name.endsWith('-global')));
  const table = await file('kubernetes/autoscaler', 'cluster-autoscaler/cloudprovider/aws/ec2_instance_types.go');
  const page = await file('aws/karpenter-provider-aws', 'website/content/en/docs/reference/instance-types.md');
  // The page is newer, and lacks types that Kubernetes nodes do not use.
  const rows = new Map([...goTypes(table.text), ...awsTypes(page.text)].map((row) => [row.name, row]));
  const types = factsFrom(
    page,
    'instance types of EC2',
    [...rows.values()].map((row) => rowOf(row)),
  );
  return {
    regions: factsFrom(sdk, 'regions', regions),
    serverTypes: { ...types, source: `${types.source} and ${table.origin}` },
  };
};

/** A heading and a table of labels for each type. */
export function awsTypes(page: string): ReturnType<typeof goTypes> {
  return page
    .split('\n### `')
    .slice(1)
    .map((section) => {
      const name = section.slice(0, section.indexOf('`'));
      const label = (key: string) => new RegExp(String.raw`\|${key}\|([^|\n]+)\|`).exec(section)?.[1];
      return {
        name,
        cpus: Number(label('karpenter.k8s.aws/instance-cpu')),
        memory: Number(label('karpenter.k8s.aws/instance-memory')) / 1024,
        arm: label('kubernetes.io/arch') === 'arm64',
        gpus: Number(label('karpenter.k8s.aws/instance-gpu-count') ?? 0),
      };
    });
}
