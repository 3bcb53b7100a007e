// Arithmetic of embedding vectors.

/** Returns the cosine of two unit vectors. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) {
    sum += (left[index] ?? 0) * (right[index] ?? 0);
  }
  return sum;
}

/** Returns the vector scaled to length 1; a zero vector is returned unchanged. */
export function unitVector(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
