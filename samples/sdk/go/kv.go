package gw

// The job's own small store. The manifest must have kv: true.

// KVGet reads a text, and tells whether it is there.
func KVGet(key string) (value string, found bool, err error) {
	var text *string
	if err := callInto(&text, "kv.get", key); err != nil || text == nil {
		return "", false, err
	}
	return *text, true, nil
}

// KVSet writes a text.
func KVSet(key, value string) error {
	_, err := Call("kv.set", key, value)
	return err
}

// KVDelete removes a key, and tells whether it was there.
func KVDelete(key string) (was bool, err error) {
	err = callInto(&was, "kv.delete", key)
	return was, err
}

// KVList gives the keys that begin with prefix, sorted.
func KVList(prefix string) (keys []string, err error) {
	err = callInto(&keys, "kv.list", prefix)
	return keys, err
}
