/** Fields whose reader needs a service, so that a value alone changes nothing here, and fields that people read. */

const manifests = 'functions/pipeline/manifests';
const sources = 'functions/pipeline/sources';
const notifications = 'functions/pipeline/notifications';
const drift = 'functions/pipeline/drift';

/** With the file that reads it. By the path of the field, for all kinds that have it, or by kind and path. */
export const readElsewhere: Readonly<Record<string, string>> = {
  'metadata.name': 'functions/domain/documents/validate-documents.ts',
  'metadata.namespace': 'functions/domain/documents/validate-documents.ts',
  'InputManifest metadata.annotations.*': 'functions/domain/manifest/replaceable-pools.ts',
  'MachineGroups metadata.annotations.*': 'functions/domain/manifest/faults/accepted-warnings.ts',
  'spec.requireApproval': 'functions/pipeline/proposals/bind-plan.ts',
  'spec.deletionProtection': 'functions/pipeline/assessment/assess-deletion.ts',
  'spec.driftChecks.interval': `${drift}/drift-policy.ts`,
  'spec.driftChecks.onDrift': `${drift}/drift-policy.ts`,
  'spec.driftChecks.onExpiry': `${drift}/drift-check.ts`,
  'spec.driftChecks.strays': `${drift}/drift-check.ts`,
  'spec.providers[].plugin.url': `${manifests}/plugin-versions.ts`,
  'spec.providers[].plugin.version': `${manifests}/plugin-versions.ts`,
  'spec.providers[].plugin.sha256': `${manifests}/plugin-versions.ts`,
  'spec.onTemplates': 'functions/pipeline/templates/moved-templates.ts',
  'spec.providers[].onTemplates': 'functions/pipeline/templates/moved-templates.ts',
  'spec.providers[].templatesRef.name': `${manifests}/template-versions.ts`,
  'spec.providers[].templatesRef.namespace': `${manifests}/template-versions.ts`,
  'spec.kubernetes.clusters[].documents[].templatesRef.name': `${manifests}/template-versions.ts`,
  'spec.kubernetes.clusters[].documents[].templatesRef.namespace': `${manifests}/template-versions.ts`,
  'spec.kubernetes.clusters[].replaceAtOnce': 'functions/pipeline/plans/cluster-plans.ts',
  'spec.nodePools.dynamic[].maxUnavailable': 'functions/pipeline/plans/cluster-plans.ts',
  'spec.nodePools.static[].maxUnavailable': 'functions/pipeline/plans/cluster-plans.ts',
  'spec.endpoint.url': `${manifests}/template-versions.ts`,
  'spec.auth.secretRef.name': 'functions/domain/documents/validate-documents.ts',
  'spec.auth.secretRef.namespace': 'functions/domain/documents/validate-documents.ts',
  'TemplateGitReference spec.commit': `${manifests}/template-versions.ts`,
  'spec.paths.terraformer': `${manifests}/template-versions.ts`,
  'spec.paths.manifestsK8s': `${manifests}/template-versions.ts`,
  'Notification spec.secretRef.name': `${notifications}/delivery.ts`,
  'Notification spec.address': `${notifications}/delivery.ts`,
  'Notification spec.to': `${notifications}/delivery.ts`,
  'Notification spec.events[]': `${notifications}/send-notification.ts`,
  'Notification spec.namespaces[]': `${notifications}/send-notification.ts`,
  'Notification spec.suspend': `${notifications}/send-notification.ts`,
  'GitSource spec.url': `${sources}/advance-source.ts`,
  'GitSource spec.ref': `${sources}/advance-source.ts`,
  'GitSource spec.path': `${sources}/advance-source.ts`,
  'GitSource spec.secretRef.name': 'functions/api/git-sources.ts',
  'GitSource spec.every': `${sources}/advance-source.ts`,
  'GitSource spec.suspend': `${sources}/advance-source.ts`,
  'GitSource spec.onPlan': `${sources}/submit-source.ts`,
  'GitSource spec.onFault': `${sources}/submit-source.ts`,
  'GitSource spec.prune.most': `${sources}/prune-source.ts`,
  'GitSource spec.prune.names[]': `${sources}/prune-source.ts`,
  'ManagementPlane spec.cluster.manifest': 'functions/pipeline/assessment/pinned-planes.ts',
  'ManagementPlane spec.cluster.name': 'functions/pipeline/assessment/pinned-planes.ts',
};

const ofPeople = 'for people and for tools of theirs: it is kept with the document and shown';
const ofClaudie = 'documents of Claudie have it; the same part of a repository is not used here, and the field says so';

/** With the reason why no program reads it. */
export const forPeople: Readonly<Record<string, string>> = {
  apiVersion: 'of the two names of the API either will do',
  'metadata.labels.*': ofPeople,
  'metadata.annotations.*': ofPeople,
  'Secret type': 'every Secret of Kubernetes has it; which fields are needed follows from what the Secret is used for',
  'Secret immutable': 'Secrets of Kubernetes may have it; here a Secret is replaced by applying it again',
  'spec.paths.playbooks': ofClaudie,
  'spec.paths.configLb': ofClaudie,
  'spec.paths.configK8s': ofClaudie,
};
