{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "gateway.configMap" -}}
{{ .Values.existingConfigMap | default (include "gateway.name" .) }}
{{- end }}

{{- define "gateway.scheme" -}}
{{ ternary "https" "http" (ne .Values.tls.secret "") }}
{{- end }}

{{- define "gateway.probed" -}}
port: egress, scheme: {{ include "gateway.scheme" . | upper }}
{{- end }}

{{- define "gateway.kind" -}}
{{ ternary "StatefulSet" "Deployment" .Values.persistence.enabled }}
{{- end }}

{{- define "gateway.metricsName" -}}
{{ include "gateway.name" . | trunc 55 | trimSuffix "-" }}-metrics
{{- end }}

{{- define "gateway.variablesDirectory" -}}
/etc/gateway/variables
{{- end }}

{{- /* Fails if values contradict each other, or `configuration`, as far as the chart knows it. */ -}}
{{- define "gateway.check" -}}
{{- $own := not .Values.existingConfigMap }}
{{- $configuration := .Values.configuration }}
{{- $keys := (fromYaml $configuration).keys }}
{{- $isShared := and (kindIs "map" $keys) (eq (get $keys "store") "redis") }}
{{- if and .Values.tls.secret $own (not (contains "tls/tls.crt" $configuration)) }}
{{- fail "tls.secret is set, so `configuration` needs: listeners: { egress: { tls: { certificate: tls/tls.crt, key: tls/tls.key } } }" }}
{{- end }}
{{- if and .Values.metrics.enabled $own (not (contains "observability" $configuration)) }}
{{- fail "metrics.enabled is set, so `configuration` needs: observability: { metrics: { address: 0.0.0.0, port: 9464, token: $METRICS_TOKEN } }" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.serviceMonitor.tokenSecret.name) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.serviceMonitor.tokenSecret: { name: …, key: … }" }}
{{- end }}
{{- if and .Values.expose.httpRoute.enabled (not .Values.expose.httpRoute.parentRefs) }}
{{- fail "expose.httpRoute.enabled needs expose.httpRoute.parentRefs: [{ name: … }]" }}
{{- end }}
{{- if and .Values.expose.ingress.enabled (not .Values.expose.ingress.hosts) }}
{{- fail "expose.ingress.enabled needs expose.ingress.hosts: [gateway.example.com]" }}
{{- end }}
{{- if and $own (hasKey (fromYaml $configuration) "keys") (not $isShared) }}
{{- if not .Values.persistence.enabled }}
{{- fail "`configuration` has keys that are created at run time, which would be lost with the pod: set persistence.enabled, or keys: { store: redis }" }}
{{- end }}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}
{{- fail "`configuration` has keys that are created at run time, and each pod would have its own: set keys: { store: redis }, or replicas: 1 and autoscaling: { enabled: false }" }}
{{- end }}
{{- end }}
{{- end }}
