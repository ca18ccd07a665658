/** Oracle Cloud: the regions of its SDK; its shapes are entered by hand. */
import { factsFrom } from '#domain/catalogue/catalogue-rows.ts';
import type { CatalogueSource } from '../catalogue-source.ts';

export const catalogue: CatalogueSource = async ({ file, before }) => {
  const sdk = await file(
    'kubernetes/autoscaler',
    'cluster-autoscaler/cloudprovider/oci/vendor-internal/github.com/oracle/oci-go-sdk/v65/common/regions.go',
  );
  const names = [...sdk.text.matchAll(/ Region = "([a-z0-9-]+)"/g)].map(([, name = '']) => name);
  return { ...before, regions: factsFrom(sdk, 'regions', names) };
};
