/** DNS names in their normal form: lower case, without the dot at the end. */

/** `K8s.Example.com.` and `k8s.example.com` are one name. */
function normalDnsName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A host name with its zone. */
export function nameInZone(name: string, zone: string): string {
  return `${normalDnsName(name)}.${normalDnsName(zone)}`;
}
