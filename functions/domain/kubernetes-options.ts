/** Settings of Kubernetes that differ from the defaults: network, add-ons, and the sources of images and packages. */
import { z } from 'zod';

/** Pod networks that KubeOne can install; `external`: the user's own add-on installs one; `canal`: planning refuses it for new clusters. */
export const cniNames = ['cilium', 'canal', 'external'] as const;
export type CniName = (typeof cniNames)[number];

/** Contains only settings that differ from the default, so that states that were stored without it keep their meaning. */
export const KubernetesOptions = z.strictObject({
  /** @default cilium */
  cni: z.enum(['canal', 'external']).optional(),
  nodeLocalDNS: z.literal(false).optional(),
  metricsServer: z.literal(false).optional(),
  configureRepositories: z.literal(false).optional(),
  registries: z
    .strictObject({
      /** Host, port and path of the registry that has all images of Kubernetes and KubeOne. */
      overwrite: z.string().optional(),
      insecure: z.literal(true).optional(),
      mirrors: z.array(
        z.strictObject({
          registry: z.string(),
          endpoints: z.array(z.string()),
          skipTlsVerify: z.literal(true).optional(),
        }),
      ),
    })
    .optional(),
  /** Name of a directory of add-ons that the runner has. */
  addons: z.string().optional(),
});
export type KubernetesOptions = z.infer<typeof KubernetesOptions>;

export function cniOf({ kubernetesOptions }: { readonly kubernetesOptions?: KubernetesOptions | undefined }): CniName {
  return kubernetesOptions?.cni ?? 'cilium';
}

/** `state` with the options of `goal`. */
export function withOptions<State extends { readonly kubernetesOptions?: KubernetesOptions | undefined }>(
  state: State,
  { kubernetesOptions }: { readonly kubernetesOptions?: KubernetesOptions | undefined },
): State {
  const { kubernetesOptions: _, ...rest } = state;
  return { ...rest, ...(kubernetesOptions === undefined ? {} : { kubernetesOptions }) } as State;
}

/** Manifest names of the options that differ. The order of lists matters only for the endpoints of a mirror, which are tried in order. */
export function differingOptions(from: KubernetesOptions = {}, to: KubernetesOptions = {}): readonly string[] {
  const before = comparable(from);
  return Object.entries(comparable(to))
    .filter(([name, text]) => before[name] !== text)
    .map(([name]) => name);
}

function comparable(options: KubernetesOptions): Readonly<Record<string, string>> {
  const { nodeLocalDNS, metricsServer, configureRepositories, registries, addons } = options;
  const mirrors = [...(registries?.mirrors ?? [])]
    .sort((one, other) => (one.registry < other.registry ? -1 : 1))
    .map(({ registry, endpoints, skipTlsVerify }) => [registry, endpoints, skipTlsVerify]);
  return {
    nodeLocalDNS: String(nodeLocalDNS ?? true),
    metricsServer: String(metricsServer ?? true),
    configureRepositories: String(configureRepositories ?? true),
    registries: JSON.stringify([registries?.overwrite, registries?.insecure, mirrors]),
    addons: addons ?? '',
  };
}
