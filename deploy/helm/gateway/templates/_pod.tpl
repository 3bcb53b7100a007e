{{- define "gateway.pod" -}}
metadata:
  labels:
    {{- include "gateway.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or .Values.rolloutOnChange .Values.podAnnotations }}
  annotations:
    {{- if .Values.rolloutOnChange }}
    checksum/configuration: {{ .Values.configuration | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  # The identity of a cloud comes in a separate token.
  automountServiceAccountToken: false
  # preStop sleep, drain time, and a margin.
  terminationGracePeriodSeconds: {{ add .Values.drainSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: gateway
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [up, --watch]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        - name: GATEWAY_RUN_DIR
          value: /run/gateway
        - name: GATEWAY_DRAIN_TIME
          value: "{{ .Values.drainSeconds }}s"
        - name: GATEWAY_LOG_LEVEL
          value: {{ .Values.logs.level | quote }}
        - name: GATEWAY_ACCESS_LOG
          value: {{ ternary "stdout" "file" .Values.logs.accessLogOnStdout | quote }}
        {{- with .Values.concurrency }}
        - name: GATEWAY_CONCURRENCY
          value: {{ . | quote }}
        {{- end }}
        {{- range .Values.keys }}
        - name: {{ .variable }}
          valueFrom:
            secretKeyRef:
              name: {{ .secret }}
              key: {{ .key }}
        {{- end }}
        {{- if .Values.keyFiles }}
        - name: GATEWAY_VARIABLES_DIR
          value: {{ include "gateway.variablesDirectory" . }}
        {{- end }}
        - name: XDG_STATE_HOME
          value: /var/lib/gateway
        {{- with .Values.extraEnvironment }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: ingress
          containerPort: {{ .Values.ports.ingress }}
        - name: egress
          containerPort: {{ .Values.ports.egress }}
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, {{ include "gateway.probed" . }} }
        periodSeconds: 1
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /readyz, {{ include "gateway.probed" . }} }
        periodSeconds: 5
      livenessProbe:
        httpGet: { path: /healthz, {{ include "gateway.probed" . }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        # The service sends requests until it has removed this pod.
        preStop:
          sleep: { seconds: 5 }
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: configuration
          mountPath: /app
          readOnly: true
        - name: temporary
          mountPath: /tmp
        - name: run
          mountPath: /run/gateway
        {{- if .Values.persistence.enabled }}
        - name: state
          mountPath: /var/lib/gateway
          subPath: state
        - name: state
          mountPath: /var/log/gateway
          subPath: logs
        {{- else }}
        - name: state
          mountPath: /var/lib/gateway
        - name: logs
          mountPath: /var/log/gateway
        {{- end }}
        {{- if .Values.keyFiles }}
        # Without subPath, with which the kubelet would never update the files.
        - name: variables
          mountPath: {{ include "gateway.variablesDirectory" . }}
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: configuration
      projected:
        # 0440 in decimal (YAML 1.2 has no such octals): readable for the group, which is fsGroup.
        defaultMode: 288
        sources:
          - configMap:
              name: {{ include "gateway.configMap" . }}
              items:
                - { key: gateway.yaml, path: gateway.yaml }
          {{- with .Values.tls.secret }}
          - secret:
              name: {{ . }}
              items:
                - { key: tls.crt, path: tls/tls.crt }
                - { key: tls.key, path: tls/tls.key }
          {{- end }}
    - name: temporary
      emptyDir:
        sizeLimit: 64Mi
    # Sockets, access tokens, and Envoy's files with the keys of keyFiles: on no disk.
    - name: run
      emptyDir:
        medium: Memory
        sizeLimit: 32Mi
    {{- if not .Values.persistence.enabled }}
    - name: state
      emptyDir:
        sizeLimit: {{ .Values.state.sizeLimit }}
    - name: logs
      emptyDir:
        sizeLimit: {{ .Values.logs.sizeLimit }}
    {{- end }}
    {{- with .Values.keyFiles }}
    - name: variables
      projected:
        defaultMode: 288
        sources:
          {{- range . }}
          - secret:
              name: {{ . }}
          {{- end }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  topologySpreadConstraints:
    {{- $selector := dict "matchLabels" (include "gateway.selector" . | fromYaml) }}
    {{- $nodes := dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway" }}
    {{- range .Values.topologySpreadConstraints | default (list $nodes) }}
    - {{ merge (deepCopy .) (dict "labelSelector" $selector) | toYaml | nindent 6 | trim }}
    {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
