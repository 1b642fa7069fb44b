export const minRemark = 4; // characters, as in XXL-JOB
export const maxRemark = 100;

/** Whether a remark is as long as the server wants it; counts characters, not UTF-16 units. */
export function isRemark(remark: string): boolean {
  const length = [...remark.trim()].length;
  return length >= minRemark && length <= maxRemark;
}
