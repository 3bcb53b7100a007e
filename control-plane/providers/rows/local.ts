// Servers that users run themselves. Most need no key.
import {
  chat,
  LITELLM,
  messagesAt,
  MODELS_DEV,
  PI,
  PYDANTIC,
  read,
  responsesAt,
  type Provider,
} from "../provider.ts";

export const LOCAL: readonly Provider[] = [
  chat("ollama", "Ollama", "http://localhost:11434/v1", {
    aliases: ["ollama_chat"],
    apis: [responsesAt(), messagesAt("http://localhost:11434")],
    needsKey: false,
    source: read(PYDANTIC, "docs.ollama.com"),
  }),
  chat("vllm", "vLLM", undefined, {
    aliases: ["hosted_vllm"],
    needsKey: false,
    source: read(PYDANTIC, LITELLM, PI),
  }),
  chat("sglang", "SGLang", "http://localhost:30000/v1", {
    apis: [messagesAt("http://localhost:30000")],
    needsKey: false,
    source: read(PI, "docs.sglang.io"),
  }),
  chat("llama_cpp", "llama.cpp", "http://localhost:8080/v1", {
    aliases: ["llamacpp"],
    apis: [messagesAt("http://localhost:8080")],
    needsKey: false,
    source: read(PI, "github.com/ggml-org/llama.cpp"),
  }),
  chat("lm_studio", "LM Studio", "http://localhost:1234/v1", {
    aliases: ["lmstudio"],
    apis: [responsesAt(), messagesAt("http://localhost:1234")],
    needsKey: false,
    source: read(LITELLM, MODELS_DEV, "lmstudio.ai/docs"),
  }),
  chat("llamafile", "llamafile", "http://localhost:8080/v1", {
    needsKey: false,
    source: read(LITELLM),
  }),
  // LiteLLM has port 22088; containers use http://model-runner.docker.internal/engines/llama.cpp/v1.
  chat("docker_model_runner", "Docker Model Runner", undefined, {
    needsKey: false,
    note: "For example `base_url: http://model-runner.docker.internal/engines/llama.cpp/v1` in a container.",
    source: read(LITELLM),
  }),
  chat("xinference", "Xinference", undefined, { needsKey: false, source: read(LITELLM) }),
  chat("litellm", "LiteLLM proxy", undefined, {
    aliases: ["litellm_proxy"],
    needsKey: false,
    variables: ["LITELLM_PROXY_API_KEY"],
    source: read(LITELLM, PYDANTIC),
  }),
];
