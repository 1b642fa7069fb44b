package route

import (
	"crypto/md5"
	"encoding/binary"
	"slices"
	"strconv"
)

// points are an address's positions on the ring, ascending, and never change.
type points []uint32

// pointsPerAddress is XXL-JOB's number of virtual nodes.
const pointsPerAddress = 100

// consistent walks from the job's position on the ring to the next address. Every
// admin, and XXL-JOB, comes to the same one; the order of the list does not matter.
func (r *Router) consistent(jobID int32, list []string) int {
	start := position(strconv.Itoa(int(jobID)))
	chosen, nearest := 0, ^uint32(0)
	for place, address := range list {
		points := r.pointsOf(address)
		i, _ := slices.BinarySearch(points, start)
		// Distances wrap around like the ring. At the same position the later address
		// of the list wins.
		if distance := points[i%len(points)] - start; distance <= nearest {
			nearest, chosen = distance, place
		}
	}
	return chosen
}

func (r *Router) pointsOf(address string) points {
	var found points
	r.points.update(address, func(p points, known bool) (points, int) {
		if !known {
			p = make(points, pointsPerAddress)
			for i := range p {
				p[i] = position("SHARD-" + address + "-NODE-" + strconv.Itoa(i))
			}
			slices.Sort(p)
		}
		found = p
		return p, 1
	})
	return found
}

// position is the start of the text's MD5 as a little-endian number. MD5 is part of
// the definition; nothing secret rests on it.
func position(text string) uint32 {
	sum := md5.Sum([]byte(text))
	return binary.LittleEndian.Uint32(sum[:4])
}
